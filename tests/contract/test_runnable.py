"""Clause 3: what "copy runnable" gives, and that a faulty copy would be seen."""

import subprocess
import sys

import pytest

from snippets import runnable, section

MAIN = '''"""Use a helper."""

from helper import twice


# --8<-- [start:use]
def use():
    return twice(21)
# --8<-- [end:use]


if __name__ == "__main__":
    print(use())
'''
HELPER = '''"""Help."""

import operator

from deeper import TWO


def twice(x):
    return operator.mul(x, TWO)


if __name__ == "__main__":
    print("not part of a copy")
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "src").mkdir()
    for name, text in (("main", MAIN), ("helper", HELPER), ("deeper", "TWO = 2\n")):
        (tmp_path / "src" / f"{name}.py").write_text(text)
    return tmp_path


def run(text: str, folder) -> subprocess.CompletedProcess:
    (folder / "copy.py").write_text(text)
    return subprocess.run([sys.executable, "copy.py"], cwd=folder, text=True,
                          capture_output=True, timeout=30)


def test_local_modules_are_folded_in_once_without_their_main(folder):
    text = runnable(folder / "src/main.py")
    assert run(text, folder).stdout == "42\n"
    assert "--8<--" not in text and "not part" not in text
    assert text.count("TWO = 2") == 1 and text.startswith('"""Use a helper."""')


def test_two_modules_that_define_the_same_name_are_refused(folder):
    """In one text the later would silently replace the earlier."""
    (folder / "src/helper.py").write_text(HELPER + "\n\ndef use():\n    pass\n")
    with pytest.raises(ValueError, match=r"main.py: folded in, two modules define use"):
        runnable(folder / "src/main.py")


def test_a_copy_that_lacks_an_import_fails(folder):
    text = runnable(folder / "src/main.py").replace("import operator\n", "")
    assert "NameError: name 'operator' is not defined" in run(text, folder).stderr


def test_sections_are_cut_at_their_markers(tmp_path):
    (tmp_path / "a.py").write_text(
        "x = 0\nif x:\n    # --8<-- [start:in]\n    y = 1\n    # --8<-- [start:deep]\n"
        "    z = 2\n    # --8<-- [end:deep]\n    # --8<-- [end:in]\n# --8<-- [start:open]\n")
    assert section("a.py", "in", tmp_path) == "y = 1\nz = 2"
    assert section("a.py", "deep", tmp_path) == "z = 2"
    assert "--8<--" not in section("a.py", None, tmp_path)
    with pytest.raises(ValueError, match="has no section 'gone'.*in, deep, open"):
        section("a.py", "gone", tmp_path)
    with pytest.raises(ValueError, match="needs one start and one end"):
        section("a.py", "open", tmp_path)
    with pytest.raises(ValueError, match="no file snippets/b.py"):
        section("b.py", None, tmp_path)
