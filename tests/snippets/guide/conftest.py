"""What the tests of the guide's shell lines share."""

import os
import re
from pathlib import Path

import pytest
from filelock import FileLock

from reader import LIMIT, SITE_URL, SNIPPETS, Shell, seed


@pytest.fixture
def shell(tmp_path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def remote(shell) -> Path:
    return seed(shell)


@pytest.fixture
def clone(shell, remote) -> Path:
    shell.git("clone", "--quiet", str(remote), "notes", cwd=shell.folder)
    return shell.folder / "notes"


@pytest.fixture(params=["executed", "pasted"])
def enter(request, tmp_path):
    """Enter lines as a script that stops at a failure, and as a reader pastes them."""
    def enter(shell: Shell, lines: str, cwd: Path, **variables):
        command = ["bash", "-euo", "pipefail", "-c", lines]
        if request.param == "pasted":  # the interactive shell goes on after a failure
            pasted = tmp_path / "pasted"
            pasted.write_text(lines + "\n", "utf-8")
            command = ["bash", "-c", f'exec bash --norc -i < "{pasted}"']
        return shell(command, cwd, **variables)
    return enter


@pytest.fixture(scope="session")
def addresses() -> dict[str, str]:
    """Return what a reader exports before publishing, and before rebuilding."""
    return {"SITE_URL": SITE_URL, "REPOSITORY_URL": "https://git.example/you/notes"}


@pytest.fixture(scope="session")
def published(tmp_path_factory, addresses) -> Shell:
    """Return a shell whose `remote.git` got the site from its clone `notes`.

    It replaced an older site there, as every publication but the first does.
    It is made once a run, whichever worker comes first, for tests that only read.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "published"
    with FileLock(f"{folder}.lock", timeout=LIMIT):
        if (folder / "done").exists():
            return Shell(folder)
        shell = Shell(folder)
        shell.git("clone", "--quiet", str(seed(shell)), "notes", cwd=folder)
        (folder / "older").mkdir()
        (folder / "older/gone.html").write_text("An older site.\n", "utf-8")
        done = shell([".venv/bin/ghp-import", "--push", "../older"], folder / "notes")
        assert done.returncode == 0, done.stderr
        shell.script("publish.sh", folder / "notes", **addresses)
        (folder / "done").touch()
    return shell


@pytest.fixture
def compare(request):
    """Compare with a shown output but for times and counts, or rewrite it (`--update`)."""
    def compare(name: str, now: str):
        path = SNIPPETS / name
        before = path.read_text("utf-8") if path.exists() else ""
        varies = re.compile(r"\b\d+\.\d+s\b|\b\d+(?= deselected)")
        same = varies.sub("N", before) == varies.sub("N", now)
        if request.config.getoption("--update") and not same:
            path.write_text(now, "utf-8")
        else:
            assert same, f"{name} is stale (run this test with --update); printed now:\n{now}"
    return compare
