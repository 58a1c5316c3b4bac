"""torchrun's reports, rendezvous and restarts of distributed/pitfalls."""

import re
import socket

import pytest
import torch.distributed as dist
from torch.distributed.elastic.rendezvous.api import RendezvousConnectionError
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    DynamicRendezvousHandler,
)

import pitfall_restart
import right_killed
import right_pitfall_rendezvous
import right_record
import wrong_killed
import wrong_pitfall_rendezvous
import wrong_record
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_record.py",
    "distributed/right_record.py",
    "distributed/wrong_killed.py",
    "distributed/right_killed.py",
    "distributed/wrong_pitfall_rendezvous.py",
    "distributed/right_pitfall_rendezvous.py",
    "distributed/pitfall_restart.py",
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
    with pytest.raises(ValueError, match="the learning rate is -1"):
        wrong_record.main()


@pytest.mark.claim(
    zh="加上 @record：汇总以该 rank 的调用栈结尾，含 ValueError 原文",
    en="With @record the report ends in the rank's traceback, with the ValueError's text",
    against_zh="torchrun 的汇总",
    against_en="torchrun's report",
    snippets=["distributed/right_record.py"],
)
def test_record_has_the_reason():
    (lines,) = run_ranks(report_with_record, 1)
    assert "traceback : Traceback (most recent call last):" in lines
    assert lines[-1] == "ValueError: the learning rate is -1"


@pytest.mark.claim(
    zh="被 SIGKILL 杀掉：exitcode −9，没有调用栈",
    en="Killed by SIGKILL: exitcode −9 and no traceback",
    against_zh="torchrun 的汇总",
    against_en="torchrun's report",
    snippets=["distributed/wrong_killed.py"],
)
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


@pytest.mark.claim(
    zh="RLIMIT_DATA 设在 2 GiB：申请 4 GiB 抛 MemoryError，exitcode 1",
    en="With RLIMIT_DATA at 2 GiB an allocation of 4 GiB raises MemoryError, exitcode 1",
    against_zh="真实的分配；torchrun 的汇总",
    against_en="a real allocation; torchrun's report",
    snippets=["distributed/right_killed.py"],
)
def test_a_limit_makes_it_an_exception():
    ((name, line),) = run_ranks(over_the_limit, 1)
    assert name == "MemoryError"
    with open(right_killed.__file__) as file:
        assert "take_memory()" in file.readlines()[line - 1]
    (lines,) = run_ranks(report_of_a_limit, 1)
    assert re.match(r"exitcode  : 1 \(pid: \d+\)", lines[0])


@pytest.mark.claim(
    zh="地址上没有人监听：RendezvousConnectionError，内层异常写明地址和端口",
    en="Nobody listens at the address: RendezvousConnectionError, whose inner exception has address and port",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_pitfall_rendezvous.py"],
)
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


@pytest.mark.claim(
    zh="0 号节点在监听：同一条命令启动了 worker",
    en="Node 0 listens: the same command starts its worker",
    against_zh="worker 的输出",
    against_en="the worker's output",
    snippets=["distributed/right_pitfall_rendezvous.py"],
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


def restart(rank, name):
    """Return what the two attempts print."""
    lines = []
    pitfall_restart.print = lambda *text, sep: lines.extend(text)
    store = dist.TCPStore("localhost", 0, is_master=True)
    getattr(pitfall_restart, name)(store.port)
    return lines


@pytest.mark.claim(
    zh="崩溃后重启、用同样的键：Gloo connectFullMesh failed；每次换前缀则都能加入",
    en="Restarted with the same keys after a crash: Gloo connectFullMesh failed; with a prefix of its own each attempt joins",
    against_zh="真实的进程与 TCPStore",
    against_en="real processes and a TCPStore",
    snippets=["distributed/pitfall_restart.py"],
)
def test_old_keys_are_a_trap():
    joined = ["  rank 0 joined", "  rank 1 joined"]
    (lines,) = run_ranks(restart, 1, "wrong")
    assert lines == [*joined, "  rank 0: Gloo connectFullMesh failed"]
    assert run_ranks(restart, 1, "right") == [[*joined, *joined]]


def test_prefixes(monkeypatch):
    """The same keys, or keys of their own: by chance both may join."""
    calls = []
    monkeypatch.setattr(
        pitfall_restart,
        "attempt",
        lambda port, prefix, ranks, limit=60: calls.append((prefix, ranks)),
    )
    pitfall_restart.wrong(0)
    pitfall_restart.right(0)
    assert calls == [
        ("job", [0, 1]),
        ("job", [0]),
        ("attempt 0", [0, 1]),
        ("attempt 1", [0, 1]),
    ]


class Whole(str):
    """An error's text that cannot be shortened."""

    def split(self, *_):
        return [self]


def stale(rank):
    """Restart one rank, then the other, until a connection is refused."""
    said = []
    pitfall_restart.print = lambda *text, sep: said.extend(text)
    pitfall_restart.str = Whole
    store = dist.TCPStore("localhost", 0, is_master=True)
    pitfall_restart.attempt(store.port, "job", [0, 1])
    for number in range(40):
        pitfall_restart.attempt(store.port, "job", [number % 2], limit=0.1)
        if "Connection refused" in said[-1]:
            break
    return said[2:]


@pytest.mark.claim(
    zh="读到旧地址的 rank 要么立刻 Connection refused，要么等到 Connect timeout",
    en="A rank that reads an old address gets Connection refused at once, or waits until Connect timeout",
    against_zh="真实报错，反复重启直到被拒绝",
    against_en="the errors themselves, restarted until one is refused",
    snippets=["distributed/pitfall_restart.py"],
)
def test_refused_or_timed_out():
    (said,) = run_ranks(stale, 1, timeout=100)
    for text in said:
        assert "Gloo connectFullMesh failed with" in text
        assert re.search("Connection refused|Connect timeout", text)
    assert "Connection refused" in said[-1]


def test_attempts_need_not_share_the_agents_store(monkeypatch):
    use = DynamicRendezvousHandler.use_agent_store
    monkeypatch.delenv("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", raising=False)
    assert use.fget(None)
    monkeypatch.setenv("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1")
    assert not use.fget(None)
