"""`make` on a machine that lacks something says what to do."""

import shutil
import subprocess

import pytest

from contract import ROOT


@pytest.fixture
def checkout(tmp_path):
    for name in ("Makefile", "requirements-site.txt", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(folder, *arguments):
    return subprocess.run(["make", *arguments], cwd=folder, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def python(folder, script: str):
    """Write a `python` that behaves as one of another version or distribution."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"PYTHON={path}"


def test_an_old_python_is_refused(checkout):
    done = make(checkout, "serve", python(checkout, "exit 1"))
    assert done.returncode != 0
    assert "Python 3.11 or newer is needed: make serve PYTHON=" in done.stdout


def test_a_missing_venv_module_is_named(checkout):
    done = make(checkout, "test", python(checkout, '[ "$1" = -c ]'))
    assert done.returncode != 0 and "apt install python3-venv" in done.stdout
    assert not (checkout / ".venv").exists()


def test_ci_runs_what_the_readme_says():
    """CI is `make test`, the README's second command, and nothing else."""
    commands = [line for line in (ROOT / ".ci/run").read_text().splitlines() if "make " in line]
    assert commands == ["CI=true make test"]
    assert "make test" in (ROOT / "README.md").read_text("utf-8")
