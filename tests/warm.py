"""Run a script as a new interpreter would, without waiting for its imports.

`import torch` takes two to four seconds of a processor, a script of these pages
a tenth. So a script runs in a fork of a process that has imported just what the
script imports, in a session, folder and environment of its own, to its end: the
threads it waits for and what it registered to be done at exit. What is left out
where a script succeeds is the interpreter's own end, in which it frees all memory.
"""

import ast
import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path

# torch 2.13 with gloo: now and then a process (2 of 104, 1 of 36 seen) aborts when it ends,
# after all its work is done and printed, barrier or not. The article says so.
TORCH_ABORT = "terminate called without an active exception"
SLOW = ("numpy", "torch", "torch._dynamo")  # to import, of what scripts name


def run_script(script: Path, limit: float = 120, ranks=({},)) -> list[subprocess.CompletedProcess]:
    """Return what `python script` did in the script's folder, once for each of `ranks`.

    `ranks` are the environment variables that each process has besides ours. When
    one fails, the others are ended, as torchrun does; at the limit, all are. A run
    that ends in torch's own abort is repeated.
    """
    for _ in range(3):
        done = _run_once(script, limit, ranks)
        if not any(TORCH_ABORT in run.stderr for run in done):
            break
    return done


def _run_once(script, limit, ranks):
    server = _server(imports(script.read_text("utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        runs = [{"script": str(script), "printed": f"{folder}/{i}", "variables": rank}
                for i, rank in enumerate(ranks)]
        print(json.dumps(runs), file=server.stdin, flush=True)
        pids = json.loads(server.stdout.readline())
        in_time = any(select.select([server.stdout], [], [], limit))
        if not in_time:  # SIGTERM first: a torchrun that is killed leaves its workers behind
            _signal(pids, signal.SIGTERM)
            if not any(select.select([server.stdout], [], [], 10)):
                _signal(pids, signal.SIGKILL)
        codes = json.loads(server.stdout.readline())
        for _ in range(20):  # multiprocessing's resource tracker ends a moment later
            if not (left := _started_by(pids)):
                break
            time.sleep(0.1)
        _signal(left, signal.SIGKILL)
        done = [subprocess.CompletedProcess(
            script.name, code, *(Path(run["printed"] + end).read_text("utf-8", "replace")
                                 for end in (".out", ".err")))
            for run, code in zip(runs, codes, strict=True)]
    assert in_time, f"{script.name} did not end within {limit} s: {done}"
    assert not left, f"{script.name} left processes behind"
    return done


def imports(text: str) -> tuple[str, ...]:
    """Return the slow modules that a script imports, before it may change `os.environ`."""
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        elif "environ" in ast.unparse(node):
            break
    names += [name.split(".")[0] for name in names]
    return tuple(name for name in SLOW if name in names)


@cache
def _server(names: tuple[str, ...]) -> subprocess.Popen:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RANK", "LOCAL_RANK")}
    env |= {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": f"{Path(sys.executable).parent}:{env['PATH']}"}
    server = subprocess.Popen([sys.executable, "-P", __file__, *names], env=env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(server.kill)
    return server


def _signal(pids, number) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _started_by(sessions: list[int]) -> list[int]:
    """Return the processes of these sessions that are alive, and of those that left them."""
    marks, found = {f"SESSION={pid}".encode() for pid in sessions}, []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            marked = marks & set((folder / "environ").read_bytes().split(b"\0"))
            if state != "Z" and (int(session) in sessions or marked):
                found.append(int(folder.name))
    return found


def serve() -> str | None:
    """Fork as standard input asks; return the script to run in each fork."""
    for name in sys.argv[1:]:
        importlib.import_module(name)
    gc.freeze()  # nothing imported so far is looked at again, so its memory stays shared
    for line in sys.stdin:
        pids, codes = [], {}
        for run in json.loads(line):
            pids.append(os.fork())
            if pids[-1] == 0:
                return become(**run)
        print(json.dumps(pids), flush=True)
        while len(codes) < len(pids):
            pid, status = os.wait()
            codes[pid] = os.waitstatus_to_exitcode(status)
            if codes[pid]:
                _signal(set(pids) - set(codes), signal.SIGTERM)
        print(json.dumps([codes[pid] for pid in pids]), flush=True)
    return None


def become(script: str, printed: str, variables: dict) -> str:
    """Make this fork what `python script` would be at the script's first line."""
    os.setsid()
    os.environ.update(variables, SESSION=str(os.getpid()))  # torchrun's workers leave the session
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, end in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(printed + end, os.O_WRONLY | os.O_CREAT), number)
    folder, sys.argv = os.path.dirname(script), [script]
    os.chdir(folder)
    sys.path.insert(0, folder)
    return script


if __name__ == "__main__" and (path := serve()):
    runpy.run_path(path, run_name="__main__")
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
