"""Clauses 2 and 3: every runnable copy runs alone, and prints what is shown.

`pytest tests/contract/test_outputs.py --update` (`make outputs`) rewrites the
`.out` and `.diff` files instead of comparing them.
"""

import difflib
import re
import subprocess
from pathlib import Path

import pytest

from pages import snippet_of
from printed import masked, shown
from snippets import MARKER, runnable
from warm import run_script

ROOT = Path(__file__).parent.parent.parent
SNIPPETS = ROOT / "snippets"


def not_run(path: Path) -> bool:
    return path.read_text("utf-8").startswith("# not run: ")


NOTEBOOKS = {snippet_of(p) for p in (ROOT / "docs").glob("*/*/*.ipynb")}  # test_notebooks.py
PYTHON = sorted({p.relative_to(SNIPPETS).as_posix() for p in SNIPPETS.glob("*/*.py")} - NOTEBOOKS)
SHELL = sorted(p.relative_to(SNIPPETS).as_posix() for p in SNIPPETS.glob("*/*.sh")
               if not not_run(p))
DIFFS = sorted(p.relative_to(SNIPPETS).as_posix() for p in SNIPPETS.glob("*/*.diff"))


@pytest.mark.parametrize("name", PYTHON)
def test_runnable_copy_runs_alone_and_prints_what_is_shown(name, tmp_path, request):
    path = SNIPPETS / name
    (tmp_path / path.name).write_text(runnable(path), "utf-8")
    (result,) = run_script(tmp_path / path.name)
    must_fail = path.name.startswith("wrong_")
    assert result.returncode == 0 or must_fail, result.stderr
    left = sorted(p.name for p in tmp_path.iterdir() if p.name != path.name)
    assert not left, f"{name} leaves files behind: {left}"
    compare(path.with_suffix(".out"), shown(result), request)


def compare(path: Path, now: str, request) -> None:
    """Compare with the committed output, or rewrite it where it truly changed."""
    before = path.read_text("utf-8") if path.exists() else None
    if request.config.getoption("--update"):
        if now.strip() and (before is None or masked(before) != masked(now)):
            path.write_text(now, "utf-8")
    elif before is not None:
        assert masked(now) == masked(before), f"{path.name} is stale: run make outputs"


def lines_for_diff(path: Path) -> list[str]:
    """Return a snippet's code without its docstring and section markers."""
    text = re.sub(r'\A""".*?"""\n+', "", path.read_text("utf-8"), flags=re.S)
    return [line for line in text.splitlines() if not MARKER.match(line)]


@pytest.mark.parametrize("name", DIFFS)
def test_shown_difference_is_the_difference(name, request):
    path = SNIPPETS / name
    old, new = [path.with_name(f"{stem}.py") for stem in path.stem.split("-to-")]
    rows = difflib.unified_diff(lines_for_diff(old), lines_for_diff(new),
                                old.name, new.name, lineterm="", n=2)
    compare(path, "\n".join(rows) + "\n", request)


@pytest.fixture
def plain_request():
    class Request:
        class config:
            @staticmethod
            def getoption(name):
                return False
    return Request


def test_a_stale_output_is_caught(tmp_path, plain_request):
    out = tmp_path / "a.out"
    out.write_text("loss 0.25 on port 29500\n")
    compare(out, "loss 0.25 on port 41873\n", plain_request)
    with pytest.raises(AssertionError, match="a.out is stale: run make outputs"):
        compare(out, "loss 0.26 on port 29500\n", plain_request)


def test_the_error_that_ended_a_run_is_shown():
    result = subprocess.CompletedProcess(
        [], 1, "begin\n", 'Traceback (most recent call last):\n  File "x"\nValueError: no\n more\n')
    assert shown(result) == "begin\nValueError: no\n more\n"
