"""lock_gaps.py: the gaps that pip's own resolver sees; none in this repository."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from lock_gaps import lock_gaps, pinned

ROOT = Path(__file__).parent.parent.parent.parent
LOCK = (ROOT / "requirements-site.txt").read_text("utf-8")
TOP = {"mkdocs", "mkdocs-material", "mkdocs-jupyter", "math-core", "jieba"}  # what lock.sh names


def needed_by(*pins: str) -> set[str]:
    """Return what pip says these need; it downloads and installs nothing."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index",
               "--no-build-isolation", "--disable-pip-version-check", *pins]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    names = re.findall(r"^Requirement already satisfied: ([\w.-]+)", result.stdout, re.M)
    return {str(canonicalize_name(name)) for name in names}


@pytest.mark.claim(
    zh="requirements-site.txt 钉死了构建所需的全部软件包，间接依赖也在内",
    en="requirements-site.txt pins every package that building needs, indirect ones included",
    against_zh="pip 的依赖解析（--dry-run，不联网）",
    against_en="pip's resolver (--dry-run, offline)",
    tolerance="0",
)
def test_this_lock_has_no_gaps():
    assert lock_gaps(LOCK) == []
    assert needed_by(*(f"{name}=={pinned(LOCK)[name]}" for name in TOP)) <= pinned(LOCK).keys()


@pytest.mark.claim(
    zh="只钉 mkdocs 一个包，会漏掉 15 个，与 pip 列出的相同",
    en="Pinning mkdocs alone leaves 15 packages open, the ones that pip lists",
    against_zh="pip 的依赖解析（--dry-run，不联网）",
    against_en="pip's resolver (--dry-run, offline)",
    tolerance="0",
)
def test_gaps_are_those_of_pip():
    gaps = lock_gaps("mkdocs==1.6.1")
    assert set(gaps) == needed_by("mkdocs==1.6.1") - {"mkdocs"}
    assert len(gaps) == 15 or sys.platform != "linux"


@pytest.mark.parametrize("name", sorted(pinned(LOCK).keys() - TOP))
def test_each_indirect_pin_is_missed_when_it_is_gone(name):
    lines = [line for line in LOCK.splitlines()
             if canonicalize_name(line.partition("==")[0]) != name]
    if name != "colorama" or sys.platform == "win32":  # others need it on Windows only
        assert lock_gaps("\n".join(lines)) == [name]


@pytest.mark.parametrize("line", ["mkdocs", "mkdocs>=1.6", "mkdocs==1.*", "mkdocs==1.6,<2"])
def test_a_loose_line_is_refused(line):
    with pytest.raises(ValueError, match="expected name==version"):
        pinned(f"click==8.5.1\n{line}\n")
