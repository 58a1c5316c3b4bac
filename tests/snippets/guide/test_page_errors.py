"""wrong_typed.md, wrong_heading.md: what the build says, and that the right ones build."""

import re

import pytest

from reader import SNIPPETS as FOLDER

SNIPPETS = ["guide/wrong_typed.md", "guide/right_typed.md",
            "guide/wrong_heading.md", "guide/right_heading.md",
            "guide/wrong_absolute.md", "guide/right_absolute.md"]
BLOCK = '```python\n--8<-- "guide/sample.py:main"\n```\n'


def build_with(project, *names: str) -> tuple[int, str]:
    """Build the sample project with these snippets in place of its block."""
    (project.root / "snippets/guide/hello.py").write_text(
        (FOLDER / "hello.py").read_text("utf-8"), "utf-8")
    project.edit_both(BLOCK, "\n".join(
        (FOLDER / name).read_text("utf-8") for name in names))
    done = project.build()
    errors = [line for line in done.stdout.splitlines() if re.match("ERROR|WARNING|docs/", line)]
    return done.returncode, "\n".join(errors) + "\n"


@pytest.mark.claim(
    zh="页面里手写的代码块会让构建失败，报出文件与行号；换成引用就能构建",
    en="A block typed into a page stops the build, naming file and line; embedded, it builds",
    against_zh="mkdocs build --strict 的退出码与输出",
    against_en="what mkdocs build --strict prints and returns",
    snippets=["guide/wrong_typed.md", "guide/right_typed.md"],
)
def test_typed_code(project, compare):
    code, errors = build_with(project, "wrong_typed.md")
    assert code != 0
    compare("wrong_typed.out", errors)


@pytest.mark.claim(
    zh="没有锚点 id 的标题会让构建失败，报出文件与行号；写上 id 就能构建",
    en="A heading without an id stops the build, naming file and line; with one, it builds",
    against_zh="mkdocs build --strict 的退出码与输出",
    against_en="what mkdocs build --strict prints and returns",
    snippets=["guide/wrong_heading.md", "guide/right_heading.md"],
)
def test_heading_without_id(project, compare):
    code, errors = build_with(project, "wrong_heading.md")
    assert code != 0
    compare("wrong_heading.out", errors)


@pytest.mark.claim(
    zh="以 / 开头的链接会让 --strict 构建失败；写成指向 .md 的相对链接就能构建",
    en="A link that begins with / stops the --strict build; as a link to the .md it builds",
    against_zh="mkdocs build --strict 的退出码与输出",
    against_en="what mkdocs build --strict prints and returns",
    snippets=["guide/wrong_absolute.md", "guide/right_absolute.md"],
)
def test_absolute_link(project, compare):
    code, errors = build_with(project, "wrong_absolute.md")
    assert code != 0
    compare("wrong_absolute.out", errors)


def test_the_right_ones_build(project):
    code, errors = build_with(project, "right_typed.md", "right_heading.md",
                              "right_absolute.md")
    assert code == 0, errors
    html = (project.root / "site/guide/sample/index.html").read_text("utf-8")
    assert "softmax" in html and '<h2 id="why">' in html
