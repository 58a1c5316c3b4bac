"""launch.py: starts a group, and a rank's error or a hang ends all of it."""

import os
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

import launch
from ranks import run_ranks


def total(rank, start, folder):
    x = torch.tensor(start + rank)
    dist.all_reduce(x)
    Path(folder, str(rank)).write_text(
        f"{x} of {dist.get_world_size()}, {torch.get_num_threads()} thread"
    )


def fails_on_rank_1(rank):
    if rank == 1:
        raise ValueError("the second rank's own words")
    dist.barrier()


def dies_on_rank_1(rank):
    if rank == 1:
        os._exit(7)


def waits_on_rank_0(rank):
    if rank == 0:
        dist.all_reduce(torch.zeros(1))


def launched(rank, fn, world_size, args=(), timeout=30):
    """Call launch in a process without threads, as a script does."""
    dist.destroy_process_group()
    began = time.monotonic()
    error = None
    try:
        launch.launch(fn, world_size, *args, timeout=timeout)
    except RuntimeError as raised:
        error = str(raised)
    return error, time.monotonic() - began


def one_after_the_other(rank, path):
    with Path(path).open("a") as file:
        launch.print = lambda text, flush: print(text, file=file, flush=flush)
        for _ in range(20):
            launch.print_in_turn(str(rank))


def test_a_group_of_three(tmp_path):
    args = (launched, 1, total, 3, (10, str(tmp_path)))
    assert run_ranks(*args)[0][0] is None
    assert [(tmp_path / r).read_text() for r in "012"] == [
        "33 of 3, 1 thread"
    ] * 3


def test_the_failing_rank_s_traceback_arrives():
    ((error, _),) = run_ranks(launched, 1, fails_on_rank_1, 2)
    assert error.startswith("on rank 1:\nTraceback")
    assert "ValueError: the second rank's own words" in error


def test_a_rank_that_dies_is_an_error():
    ((error, took),) = run_ranks(launched, 1, dies_on_rank_1, 2)
    assert error
    assert took < 30


@pytest.mark.claim(
    zh="示例用的启动器：集合通信等过了时限就抛出异常，不会一直挂着",
    en="The examples' launcher: a collective that waits too long raises instead of hanging",
    against_zh="只有 rank 0 调用 all_reduce，时限 1 s",
    against_en="an all_reduce that only rank 0 calls, with a limit of 1 s",
)
def test_a_hang_is_an_error_in_time():
    ((error, took),) = run_ranks(launched, 1, waits_on_rank_0, 2, (), 1)
    assert "Timed out waiting 1000ms" in error
    assert 1 < took < 30


def test_printing_in_turn(tmp_path):
    run_ranks(one_after_the_other, 3, str(tmp_path / "printed"))
    assert (tmp_path / "printed").read_text() == "0\n1\n2\n" * 20
