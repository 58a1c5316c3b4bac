"""About's table of checks: each message it names is one that the checks can give."""

import re

import pytest

from reader import ROOT

SNIPPETS = ["guide/hello_block.md"]


def messages(language: str) -> list[str]:
    text = (ROOT / f"docs/{language}/about.md").read_text("utf-8")
    table = text.partition("{#checks}")[2].partition("\n## ")[0]
    cells = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")]
    return [message for cell in cells for message in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("message", messages("zh"))
def test_a_check_says_this(message):
    sources = [*ROOT.glob("hooks/*.py"), *ROOT.glob("tests/contract/*.py"),
               ROOT / "tests/verification.py"]
    code = re.sub(r'"\s*\n\s*f?"', "", "\n".join(p.read_text("utf-8") for p in sources))
    for part in message.split("…"):
        assert part in code, f"no check says {part!r}; about.md names it"


def test_both_languages_name_the_same_messages():
    assert messages("zh") == messages("en")


@pytest.mark.claim(
    zh="展示的这几行就是那两个代码块在页面里的源文",
    en="These lines are the source of the two blocks that they name",
    against_zh="hello-world 页面的源文件，围栏换成反引号",
    against_en="the source of the page hello-world, with backticks for fences",
)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_shown_lines_are_the_pages_own(language):
    lines = (ROOT / "snippets/guide/hello_block.md").read_text("utf-8").replace("~~~", "```")
    assert lines in (ROOT / f"docs/{language}/guide/hello-world.md").read_text("utf-8")
