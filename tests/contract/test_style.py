"""What a snippet may look like, and that each import of ours is pinned."""

import ast
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from contract import ROOT
from snippets import INCLUDE, fences, section

SNIPPETS = sorted((ROOT / "snippets").glob("*/*.py"))
OURS = ["hooks", "snippets", "tests", "figures", "benchmarks", "docs"]


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def unpinned(files: list[Path], pins: str) -> list[str]:
    """Name each import that is neither standard, nor ours, nor pinned exactly."""
    pinned = {re.sub(r"[-_.]+", "-", n).lower() for n in re.findall(r"^([\w.-]+)==", pins, re.M)}
    ours = {p.stem for p in files} | {p.parent.name for p in files}
    providers = metadata.packages_distributions()
    problems = []
    for path in files:
        for name in sorted(imports(path) - sys.stdlib_module_names - ours):
            packages = {re.sub(r"[-_.]+", "-", d).lower() for d in providers.get(name, [])}
            if not packages & pinned:
                problems.append(f"{path.name}: import {name} is not pinned in requirements.txt")
    return problems


def pins() -> str:
    return "".join((ROOT / f).read_text() for f in ("requirements.txt", "requirements-site.txt"))


def test_every_import_is_pinned():
    files = [p for folder in OURS for p in (ROOT / folder).rglob("*.py")]
    assert unpinned(files, pins()) == []


def test_an_unpinned_import_is_caught(tmp_path):
    (tmp_path / "a.py").write_text("import torch\nimport json\n")
    assert unpinned([tmp_path / "a.py"], re.sub("(?m)^torch==.*\n", "", pins())) == [
        "a.py: import torch is not pinned in requirements.txt"]


def test_every_requirement_and_what_it_needs_is_pinned():
    from packaging.requirements import Requirement
    names = re.findall(r"^([\w.-]+)==", pins(), re.M)
    pinned = {re.sub(r"[-_.]+", "-", n).lower() for n in names}
    for name in names:
        for text in metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                base = re.sub(r"[-_.]+", "-", needed.name).lower()
                assert base in pinned, f"{name} needs {needed}"


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_snippet_fits_a_screen(path):
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) < 120, f"{path.name}: {len(lines)} lines"
    for number, line in enumerate(lines, 1):
        assert len(line) <= 79, f"{path.name}:{number}: {len(line)} columns"


def test_a_shown_section_fits_a_screen():
    for page in (ROOT / "docs/zh").rglob("*.md"):
        for fence in fences(page.read_text("utf-8")):
            if fence.language == "python":
                code = section(*INCLUDE.match(fence.body[0]).groups())
                assert code.count("\n") < 40, f"{page.name}:{fence.line}"


def test_lint():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", *OURS], cwd=ROOT, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
