"""write_article.sh: a reader who follows it gets a new page, tested and pushed."""

import contextlib
import json
import re
import sys
import types

import pytest

import reader
from snippets import section

SNIPPETS = ["guide/write_article.sh"]


@pytest.mark.claim(
    zh="在仓库的新克隆里逐行执行，中英两页都出现在构建好的站点里，新测试通过，新分支推送成功",
    en="Run line by line in a fresh clone: both pages are in the built site, the new test passes, "
       "the new branch is pushed",
    against_zh="构建出的 HTML、测试记录、远端裸仓库里的文件清单",
    against_en="the built HTML, the record of the test, the files in the bare remote",
)
def test_following_it_gives_a_new_page(shell, remote, clone, compare):
    printed = shell.script("write_article.sh", clone).stdout
    for folder, title, answer, heading in (
        ("site", "流式均值", "怎样求均值", "为什么成立"),
        ("site/en", "A streaming mean", "what is their mean?", "Why it holds"),
    ):
        page = clone / folder / "guide/streaming-mean"
        html = (page / "index.html").read_text("utf-8")
        assert f'<h1 id="title">{title}</h1>' in html and answer in html
        assert f'<h2 id="why">{heading}' in html and "<math" in html
        assert "streaming_mean</span>" in html and "5.0" in html
        assert 'id="verified"' in html and 'href="streaming_mean.py" download' in html
        plain = (page / "index.md").read_text("utf-8")
        assert "def streaming_mean(values: Iterable[float])" in plain and "5.0" in plain
        listing = (clone / folder / "guide/index.html").read_text("utf-8")
        assert f'<a href="streaming-mean/">{title}</a>' in listing

    (entry,) = json.loads((clone / "snippets/guide/verified.json").read_text("utf-8")).values()
    assert [claim["tolerance"] for claim in entry["claims"]] == ["1e-12"]
    changed = shell.git("diff", "--name-only", "main", "streaming-mean", cwd=remote).split()
    assert changed == [
        "docs/en/guide/streaming-mean.md", "docs/zh/guide/streaming-mean.md",
        "snippets/guide/streaming_mean.out", "snippets/guide/streaming_mean.py",
        "snippets/guide/verified.json", "tests/snippets/guide/test_streaming_mean.py"]
    compare("write_article.out", printed)


@pytest.mark.parametrize("old, new", [
    ("(value - mean) / n", "(value - mean) / (n + 1)"),
    ("enumerate(values, 1)", "enumerate(values, 2)"),
    ("n, mean = 0, 0.0", "n, mean = 0, 0.0; values = [0.0, *values]"),
    ("n == 0", "n < 0"),
    ("at least one value, got none", "values"),
])
def test_its_test_sees_a_broken_line(old, new, monkeypatch):
    """The article says: break the line, see red."""
    parts = [section("guide/write_article.sh", part) for part in ("code", "test")]
    code, test = [re.search(r"<<'EOF'\n(.*?)\nEOF\n", part, re.S)[1] for part in parts]
    assert code.count(old) == 1
    for text, fails in ((code, False), (code.replace(old, new), True)):
        module = types.ModuleType("streaming_mean")
        exec(text, module.__dict__)
        monkeypatch.setitem(sys.modules, "streaming_mean", module)
        names = {}
        exec(test, names)
        red = pytest.raises((AssertionError, pytest.fail.Exception))
        with red if fails else contextlib.nullcontext():
            for name in ("test_equals_the_exact_mean", "test_no_values_are_refused"):
                names[name]()


def test_it_can_be_followed_again(shell, monkeypatch, tmp_path):
    """A checkout that already has the article seeds a repository without it."""
    made = ["docs/en/guide/streaming-mean.md", "docs/zh/guide/streaming-mean.md",
            "snippets/guide/streaming_mean.out", "snippets/guide/streaming_mean.py",
            "tests/snippets/guide/test_streaming_mean.py"]
    checkout = tmp_path / "checkout"
    for name in [*made, "snippets/guide/hello.py"]:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("", "utf-8")
    shell.git("init", "--quiet", cwd=checkout)
    monkeypatch.setattr(reader, "ROOT", checkout)
    listed = shell.git("ls-tree", "-r", "--name-only", "main", cwd=reader.seed(shell))
    assert listed == "snippets/guide/hello.py\n"
