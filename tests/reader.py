"""Run a page's shell lines as a reader would: in a clone of this repository.

The clone comes from a bare repository that holds this checkout as one commit.
Where a reader's `make` would download packages, the clone finds them installed:
a hook of the test's Git template links `.venv` to the running interpreter's.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SNIPPETS = ROOT / "snippets/guide"
LIMIT = 240  # seconds, for one script
COMMITTED = "2026-01-02T03:04:05Z"  # not today: a build must not take the clock's day
SITE_URL = "https://example.org/some/notes/"
HOOK = """#!/bin/sh
[ -d .git ] && [ ! -e .venv ] || exit 0
mkdir .venv
ln -s "{bin}" .venv/bin
for part in lib lib64 include pyvenv.cfg; do
  [ ! -e "{prefix}/$part" ] || ln -s "{prefix}/$part" .venv/
done
touch .venv/site .venv/tests
"""


def path_without(folder: Path) -> str:
    """Return PATH without the environment of this run, which a script must find itself."""
    path = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if p != str(folder))
    needed = all(shutil.which(tool, path=path) for tool in ("bash", "git", "make"))
    return path if needed else os.environ["PATH"]


class Shell:
    """Runs scripts in one folder, with nothing of this machine's own settings."""

    def __init__(self, folder: Path):
        self.folder = folder
        template = folder / "template/hooks"
        template.mkdir(parents=True, exist_ok=True)
        python = Path(sys.executable).parent
        hook = template / "post-checkout"
        hook.write_text(HOOK.format(bin=python, prefix=sys.prefix), "utf-8")
        hook.chmod(0o755)
        (folder / "gitconfig").write_text("[init]\ndefaultBranch = main\n", "utf-8")
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith(("GIT_", "PYTEST_", "MAKE", "PYTHONPATH"))
                and k not in ("SITE_URL", "REPOSITORY_URL", "SOURCE_DATE_EPOCH", "MFLAGS")}
        self.env = kept | {
            "PATH": path_without(python), "OMP_NUM_THREADS": "1",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
            "GIT_TEMPLATE_DIR": str(template.parent), "LC_ALL": "C.UTF-8",
            "GIT_AUTHOR_NAME": "Reader", "GIT_AUTHOR_EMAIL": "reader@localhost",
            "GIT_COMMITTER_NAME": "Reader", "GIT_COMMITTER_EMAIL": "reader@localhost",
        }

    def popen(self, command: list[str], cwd: Path, **variables):
        return subprocess.Popen(
            command, cwd=cwd, env=self.env | variables, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __call__(self, command: list[str], cwd: Path | None = None, **variables):
        with self.popen(command, cwd or self.folder, **variables) as process:
            try:
                out, err = process.communicate(timeout=LIMIT)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def script(self, name: str, cwd: Path | None = None, **variables):
        """Execute a snippet as a whole; it must succeed."""
        result = self(["bash", "-euo", "pipefail", str(SNIPPETS / name)], cwd, **variables)
        assert result.returncode == 0, f"{name}: {result.stdout}\n{result.stderr}"
        return result

    def git(self, *arguments: str, cwd: Path) -> str:
        result = self(["git", *arguments], cwd)
        assert result.returncode == 0, result.stderr
        return result.stdout


def seed(shell: Shell) -> Path:
    """Return a bare repository whose `main` is this checkout's files.

    The record of what was verified stays out: it is allowed to be older than
    the snippets until `make verify`, which runs these very tests. So does the
    article that write_article.sh adds, in case a reader has just added it, and
    the articles of other tracks, since every script builds the whole site.
    """
    work, bare = shell.folder / "seed", shell.folder / "remote.git"
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True, timeout=60)
    for name in listed.stdout.rstrip("\0").split("\0"):
        source, target = ROOT / name, work / name
        added = source.stem.removeprefix("test_").replace("_", "-") == "streaming-mean"
        article = re.fullmatch(r"docs/../(\w+)/(.+)\.(md|ipynb)", name)
        other = article and article[1] != "guide" and article[2] != "index"
        if source.is_file() and source.name != "verified.json" and not added and not other:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    shell.git("init", "--quiet", cwd=work)
    shell.git("add", "--all", "--force", cwd=work)
    past = {"GIT_AUTHOR_DATE": COMMITTED, "GIT_COMMITTER_DATE": COMMITTED}
    done = shell(["git", "commit", "--quiet", "--message", "Start"], work, **past)
    assert done.returncode == 0, done.stderr
    shell.git("clone", "--quiet", "--bare", str(work), str(bare), cwd=shell.folder)
    shutil.rmtree(work)
    return bare
