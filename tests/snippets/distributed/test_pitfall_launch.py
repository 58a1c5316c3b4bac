"""torchrun's reports, rendezvous and restarts of distributed/pitfalls."""

import inspect
import multiprocessing
import os
import re
import resource
import signal
import socket
import subprocess
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.elastic.rendezvous.api import RendezvousConnectionError
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    DynamicRendezvousHandler,
)
from torch.distributed.run import main as torchrun
from torch.utils.data import dataloader

import right_killed
import right_pitfall_rendezvous
import right_record
import wrong_killed
import wrong_pitfall_rendezvous
import wrong_record
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_record.py",
    "distributed/right_record.py",
    "distributed/wrong_killed.py",
    "distributed/right_killed.py",
    "distributed/wrong_pitfall_rendezvous.py",
    "distributed/right_pitfall_rendezvous.py",
]


def report(rank, module):
    """Start a script's own torchrun, and return what the script prints."""
    dist.destroy_process_group()
    lines = []
    module.print = lambda *text, **_: lines.extend(text)
    module.start_me()
    return [line.strip() for line in lines]


def report_without_record(rank):
    return report(rank, wrong_record)


def report_with_record(rank):
    return report(rank, right_record)


def report_of_a_kill(rank):
    return report(rank, wrong_killed)


def report_of_a_limit(rank):
    return report(rank, right_killed)


@pytest.mark.claim(
    zh="没有 @record：ChildFailedError 只有 exitcode 1 和 error_file: <N/A>，没有原因",
    en="Without @record ChildFailedError has exitcode 1 and error_file: <N/A>, and no reason",
    against_zh="torchrun 的汇总",
    against_en="torchrun's report",
    snippets=["distributed/wrong_record.py"],
)
def test_no_reason_without_record():
    (lines,) = run_ranks(report_without_record, 1)
    assert lines[0] == "ChildFailedError:"
    assert re.match(r"exitcode  : 1 \(pid: \d+\)", lines[1])
    assert lines[2:] == [
        "error_file: <N/A>",
        "traceback : To enable traceback see: "
        "https://pytorch.org/docs/stable/elastic/errors.html",
    ]
    with pytest.raises(ValueError, match="learning rate -1"):
        wrong_record.main()


def test_record_has_the_reason():
    (lines,) = run_ranks(report_with_record, 1)
    assert "traceback : Traceback (most recent call last):" in lines
    assert lines[-1] == "ValueError: learning rate -1"


def test_a_killed_rank_says_nothing():
    (lines,) = run_ranks(report_of_a_kill, 1)
    assert re.match(r"exitcode  : -9 \(pid: \d+\)", lines[0])
    assert lines[1] == "error_file: <N/A>"
    assert re.fullmatch(
        r"traceback : Signal 9 \(SIGKILL\) received by PID \d+", lines[2]
    )


def over_the_limit(rank):
    try:
        right_killed.main()
    except MemoryError as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno


def limited(rank):
    """Two children of a limited process, and then that process itself."""
    status = Path("/proc/self/status").read_text()
    (used,) = re.findall(r"VmData:\s*(\d+) kB", status)
    limit = int(used) * 1024 + 2**30
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    context = multiprocessing.get_context("fork")
    both, held = context.Barrier(2), context.SimpleQueue()

    def take():
        part = bytearray(700 * 2**20)
        both.wait(30)  # both have theirs at the same time
        held.put(len(part))

    children = [context.Process(target=take) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    parts = [held.get() for _ in children]
    try:
        own = [bytearray(part) for part in parts]
    except MemoryError:
        return sum(parts) - 2**30 > 0
    return own


def test_a_limit_counts_each_process_alone():
    assert run_ranks(limited, 1) == [True]


def test_a_limit_makes_it_an_exception():
    ((name, line),) = run_ranks(over_the_limit, 1)
    assert name == "MemoryError"
    with open(right_killed.__file__) as file:
        assert "take_memory()" in file.readlines()[line - 1]
    (lines,) = run_ranks(report_of_a_limit, 1)
    assert re.match(r"exitcode  : 1 \(pid: \d+\)", lines[0])


def test_nobody_listens():
    with pytest.raises(RendezvousConnectionError) as error:
        wrong_pitfall_rendezvous.main()
    assert str(error.value) == (
        "The connection to the C10d store has failed. "
        "See inner exception for details."
    )
    inner = str(error.value.__cause__)
    assert re.search(
        r"The client socket has timed out after 1000ms while trying to "
        r"connect to \(localhost, \d+\)",
        inner,
    )


def test_node_0_listens(capfd):
    right_pitfall_rendezvous.main()
    assert capfd.readouterr().out == "worker started\n"


def test_the_port_is_taken_but_silent():
    """What wrong_pitfall_rendezvous.py relies on."""
    with socket.socket() as silent, socket.socket() as client:
        silent.bind(("localhost", 0))
        with pytest.raises(ConnectionRefusedError):
            client.connect(silent.getsockname())


def test_attempts_need_not_share_the_agents_store(monkeypatch):
    use = DynamicRendezvousHandler.use_agent_store
    monkeypatch.delenv("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", raising=False)
    assert use.fget(None)
    monkeypatch.setenv("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1")
    assert not use.fget(None)


def test_one_machine_needs_no_port(monkeypatch):
    """torchrun takes a free one, unless --master-port is given."""
    asked = []
    monkeypatch.setattr(
        "torch.distributed.run.elastic_launch",
        lambda config, entrypoint: lambda *_: asked.append(config),
    )
    torchrun(["train.py"])
    torchrun(["--master-port=29501", "train.py"])
    found = [(c.rdzv_backend, c.rdzv_endpoint) for c in asked]
    assert found == [("c10d", "localhost:0"), ("static", "127.0.0.1:29501")]


ONE_FAILS = """
import os, sys, time
time.sleep(60) if os.environ["RANK"] == "0" else sys.exit(1)
"""


def ended(rank, script):
    dist.destroy_process_group()
    try:
        torchrun(["--nproc-per-node=2", script])
    except ChildFailedError as error:
        return str(error)


def test_torchrun_ends_the_others(tmp_path):
    script = tmp_path / "one_fails.py"
    script.write_text(ONE_FAILS)
    (report,) = run_ranks(ended, 1, str(script))
    other, root = report.split("Root Cause (first observed failure):")
    assert re.search(r"exitcode  : -15 \(pid: \d+\)  \(SIGTERM\)", other)
    assert re.search(r"exitcode  : 1 \(pid: \d+\)", root)
    assert (signal.SIGABRT, signal.SIGSEGV) == (6, 11)


def left_alone(rank):
    dist.destroy_process_group()
    try:
        launch(one_dies, 2, backend="gloo")
    except RuntimeError as error:
        return str(error)


def one_dies(rank):
    dist.all_reduce(torch.ones(1))  # both are there and connected
    if rank == 1:
        os._exit(1)
    dist.all_reduce(torch.ones(1))


def test_the_others_lose_their_connection():
    (error,) = run_ranks(left_alone, 1)
    assert error.startswith("on rank 0:")
    assert re.search(
        r"Connection closed by peer \[.*\]:\d+\. "
        r"This is typically caused by a remote worker crashing\."
        r"|Read error \[.*\]:\d+: Connection reset by peer",
        error,
    )


def test_a_worker_is_killed():
    """By the two checks that a DataLoader makes while it waits."""
    worker = subprocess.Popen(["sleep", "60"])
    torch._C._set_worker_pids(1, (worker.pid,))
    worker.kill()
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    text = r"DataLoader worker \(pid \d+\) is killed by signal: Killed\."
    with pytest.raises(RuntimeError, match=text):
        torch._C._error_if_any_worker_fails()
    torch._C._remove_worker_pids(1)
    worker.wait()
    text = 'f"DataLoader worker (pid(s) {pids_str}) exited unexpectedly"'
    assert text in inspect.getsource(dataloader)
