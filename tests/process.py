"""Run a command as a reader does, with a hard limit, and leave nothing behind."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from warm import TORCH_ABORT


def run_notebook(name: str, folder: Path) -> subprocess.CompletedProcess:
    """Execute a notebook in its folder as a reader does; the result is `done.ipynb` there."""
    with tempfile.TemporaryDirectory() as settings:  # its sockets need a short path
        return run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output",
                    "done.ipynb", "--KernelManager.transport=ipc", name], folder, 120,
                   IPYTHONDIR=settings, JUPYTER_RUNTIME_DIR=settings, JUPYTER_CONFIG_DIR=settings)


def run(command: list[str], folder: Path, limit: float = 60,
        **variables) -> subprocess.CompletedProcess:
    """Return what a command did; a run that ends in torch's own abort is repeated.

    At the limit all that it started is ended and the test fails; SIGTERM comes
    first, since a torchrun that is killed leaves its workers behind.
    """
    for _ in range(3):
        done = _run_once(command, folder, limit, variables)
        if TORCH_ABORT not in done.stderr:
            break
    return done


def _run_once(command, folder, limit, variables):
    mark = {"STARTED_BY": str(folder)}  # workers have sessions of their own
    env = {**os.environ, **variables, **mark, "OMP_NUM_THREADS": "1",
           "PYTHONDONTWRITEBYTECODE": "1",
           "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name in ("PYTHONPATH", "RANK", "LOCAL_RANK"):
        env.pop(name, None)
    with subprocess.Popen(command, cwd=folder, env=env, text=True, start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=10)
            pytest.fail(f"{command} did not end within {limit} s")
        finally:
            left = started_by(folder)
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    assert not left, f"{command} left processes behind"
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def started_by(folder: Path) -> list[int]:
    """Return the processes that carry the mark in their environment and are alive."""
    mark, found = f"STARTED_BY={folder}".encode(), []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environ.read_bytes().split(b"\0"):
                found.append(int(environ.parent.name))
    return found
