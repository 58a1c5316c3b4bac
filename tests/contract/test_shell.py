"""Clause 1 on shell lines: each is run by a test, or says beside it why not."""

import re
from pathlib import Path

import pytest

from contract import ROOT
from snippets import fences

SCRIPTS = sorted((ROOT / "snippets").glob("*/*.sh"))
NOT_RUN = [p for p in SCRIPTS if p.read_text("utf-8").startswith("# not run:")]


def unexecuted(scripts: list[Path], tests: Path) -> list[str]:
    """Name each script that no test of its track names and that does not say why."""
    def named(path: Path) -> bool:
        modules = (tests / path.parent.name).glob("test_*.py")
        return any(f'{path.name}"' in module.read_text("utf-8") for module in modules)

    return [f"{p.parent.name}/{p.name}:1: no test runs this script" for p in scripts
            if not p.read_text("utf-8").startswith("# not run:") and not named(p)]


def test_every_script_is_run_by_a_test():
    assert unexecuted(SCRIPTS, ROOT / "tests/snippets") == []


def test_a_script_that_no_test_runs_is_caught(tmp_path):
    script = tmp_path / "track/forgotten.sh"
    script.parent.mkdir()
    script.write_text("echo hello\n")
    assert unexecuted([script], ROOT / "tests/snippets") == [
        "track/forgotten.sh:1: no test runs this script"]


@pytest.mark.parametrize("path", NOT_RUN, ids=lambda p: p.name)
def test_a_script_that_is_not_run_says_why_in_both_languages(path):
    first = path.read_text("utf-8").partition("\n")[0]
    english, chinese = re.fullmatch(r"# not run: (.+) \| (.+)", first).groups()
    assert english.isascii() and re.search(r"[\u4e00-\u9fff]", chinese)


def test_every_shell_block_of_a_page_is_a_script():
    for page in (ROOT / "docs").rglob("*.md"):
        for fence in fences(page.read_text("utf-8")):
            if fence.language in {"bash", "sh", "shell", "console"}:
                assert re.search(r'"[\w-]+/[\w-]+\.sh[:"]', fence.body[0]), f"{page}:{fence.line}"
