"""wrong_busy_port.py and right_busy_port.py: two jobs on one machine."""

import contextlib
import socket
import subprocess
import sys
from datetime import timedelta

import pytest
import torch.distributed as dist

import right_busy_port
import wrong_busy_port
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_busy_port.py",
    "distributed/right_busy_port.py",
]


def alone(rank, module):
    """Run a job in a process that is in no group yet."""
    dist.destroy_process_group()
    printed = []
    module.print = printed.append
    try:
        module.main()
    except dist.DistNetworkError as error:
        return str(error)
    return printed


def wrong(rank):
    return alone(rank, wrong_busy_port)


def right(rank):
    return alone(rank, right_busy_port)


@pytest.mark.claim(
    zh="MASTER_PORT 已被别的任务占用：DistNetworkError … EADDRINUSE",
    en="MASTER_PORT is taken by another job: DistNetworkError … EADDRINUSE",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_busy_port.py"],
)
def test_a_taken_port_is_refused():
    (error,) = run_ranks(wrong, 1)
    assert "The server socket has failed to listen" in error
    assert "name: EADDRINUSE, message: address already in use" in error


@pytest.mark.claim(
    zh="端口写 0，由系统挑选空闲端口：两个任务同时初始化",
    en="With port 0 the system picks a free one: both jobs are initialised at the same time",
    against_zh="两个 TCPStore 的端口号不同",
    against_en="the port numbers of both TCPStores",
    snippets=["distributed/right_busy_port.py"],
)
def test_port_0_is_a_free_one():
    expected = ["initialised, on a port of its own: True"]
    assert run_ranks(right, 1) == [expected]


@pytest.mark.claim(
    zh="torchrun 在单机上不写端口也能启动，哪怕 29500 正被占用",
    en="On one machine torchrun needs no port and starts even while 29500 is taken",
    against_zh="占住 29500 再启动真实的 torchrun",
    against_en="torchrun itself, started while 29500 is held",
    snippets=["distributed/right_busy_port.py"],
)
def test_torchrun_finds_a_free_port(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text("import os; print(os.environ['MASTER_PORT'])")
    with socket.socket() as other_job:
        with contextlib.suppress(OSError):  # somebody else holds it already
            other_job.bind(("", 29500))
            other_job.listen()
        job = subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", str(script)],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert int(job.stdout) not in (0, 29500)


def test_other_ranks_cannot_join_at_port_0():
    with pytest.raises(dist.DistError):
        limit = timedelta(seconds=1)
        dist.TCPStore("localhost", 0, is_master=False, timeout=limit)
