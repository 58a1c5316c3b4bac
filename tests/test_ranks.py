"""The multi-process harness itself: speed, time limit, tracebacks, leftovers."""

import os
import signal
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from ranks import RankFailed, run_ranks


def total(rank, start):
    x = torch.tensor([float(start + rank)])
    dist.all_reduce(x)
    return rank, x


def fails_on_rank_1(rank):
    if rank == 1:
        raise ValueError("the second rank's own words")
    dist.barrier()


def dies_on_rank_1(rank):
    if rank == 1:
        os._exit(7)
    dist.barrier()


def hangs_on_rank_1(rank, folder):
    Path(folder, str(rank)).write_text(str(os.getpid()))
    dist.barrier()
    if rank == 1:
        if os.fork() == 0:  # a process of its own, as a data loader's worker
            Path(folder, "child").write_text(str(os.getpid()))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        threading.Event().wait()


def ended(pid, limit=5):
    """Whether a process has ended, or does within `limit` seconds."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True  # dead, and waiting to be reaped by init
        time.sleep(0.01)
    return False


def left_behind():
    return set(Path(tempfile.gettempdir()).glob("ranks-*"))


def test_returns_what_each_rank_returned():
    (rank_0, a), (rank_1, b) = run_ranks(total, 2, 10)
    assert (rank_0, rank_1) == (0, 1)
    assert a.item() == b.item() == 21.0


def test_the_failing_rank_s_traceback_arrives():
    with pytest.raises(RankFailed) as error:
        run_ranks(fails_on_rank_1, 2)
    assert "rank 1:\nTraceback" in str(error.value)
    assert "in fails_on_rank_1" in str(error.value)
    assert "ValueError: the second rank's own words" in str(error.value)


def test_a_rank_that_dies_is_reported():
    with pytest.raises(
        RankFailed, match="rank 1:\ndied without a word, exit code 7"
    ):
        run_ranks(dies_on_rank_1, 2)


def test_a_function_that_cannot_be_pickled_is_refused_at_once():
    with pytest.raises(Exception, match="[Pp]ickle"):
        run_ranks(lambda rank: rank, 2)


def test_a_hang_is_cut_and_nothing_is_left(tmp_path, monkeypatch):
    run_ranks(total, 2, 0)  # warm
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    started = [tmp_path / name for name in ("0", "1", "child")]
    for limit in (1, 5, 20):  # a busy machine may need longer to start
        began = time.monotonic()
        with pytest.raises(RankFailed, match=f"not over in {limit} s: rank"):
            run_ranks(hangs_on_rank_1, 2, str(tmp_path), timeout=limit)
        assert time.monotonic() - began < limit + 5
        if all(path.exists() for path in started):
            break
    pids = [int(path.read_text()) for path in started]
    assert all(ended(pid) for pid in pids), pids
    assert not left_behind()


def test_two_warm_ranks_take_well_under_a_second():
    run_ranks(total, 2, 0)
    times = []
    while len(times) < 3 or (min(times) > 1 and len(times) < 10):
        began = time.monotonic()
        run_ranks(total, 2, 0)
        times.append(time.monotonic() - began)
    assert min(times) < 1, times


def test_eight_groups_at_a_time(tmp_path, monkeypatch):
    run_ranks(total, 2, 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        runs = [
            pool.submit(run_ranks, total, 2, 10 * i, timeout=60)
            for i in range(8)
        ]
        sums = [[x.item() for _, x in run.result()] for run in runs]
    assert sums == [[20.0 * i + 1] * 2 for i in range(8)]
    assert not left_behind()
