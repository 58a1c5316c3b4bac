"""Hangs of distributed/pitfalls: who waits for whom, and how it shows."""

import faulthandler
import functools
import gc
import inspect
import mmap
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.flight_recorder.components.config_manager import (
    JobConfig,
)
from torch.distributed.run import config_from_args, parse_args
from torch.nn.parallel import DistributedDataParallel as DDP

import right_detail_ddp
import right_rank0_only
import slow_rank
import where_it_waits
import who_is_missing
import wrong_detail_ddp
import wrong_rank0_only
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/where_it_waits.py",
    "distributed/who_is_missing.py",
    "distributed/wrong_detail_ddp.py",
    "distributed/right_detail_ddp.py",
    "distributed/wrong_rank0_only.py",
    "distributed/right_rank0_only.py",
    "distributed/slow_rank.py",
]


def launched(fn, size, debug="OFF", timeout=30):
    """Run fn by the article's launch(); return what the run raised, or None."""
    dist.destroy_process_group()
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = debug
    dist.set_debug_level_from_env()
    try:
        launch(fn, size, timeout=timeout, backend="gloo")
    except RuntimeError as error:
        return str(error)


def rank0_only(rank):
    return launched(wrong_rank0_only.train, 2, timeout=1)


def test_rank_0_waits_alone():
    (error,) = run_ranks(rank0_only, 1)
    assert error.startswith("on rank 0:")
    assert "Timed out waiting 1000ms for recv operation to complete" in error


def every_rank(rank):
    printed = []
    right_rank0_only.print = lambda text, flush: printed.append(text)
    right_rank0_only.train(rank)
    return printed


def test_the_mean_of_all_ranks():
    assert run_ranks(every_rank, 2) == [["mean loss 1.50"], []]
    assert run_ranks(every_rank, 3) == [["mean loss 2.00"], [], []]


def mismatched(rank):
    """Rank 0 has one all-reduce more, first; then each has one of its own."""
    group = dist.new_group(timeout=timedelta(seconds=1))
    numbers = [torch.tensor(100.0)] if rank == 0 else []
    numbers.append(torch.tensor(rank + 1.0))
    try:
        for number in numbers:
            dist.all_reduce(number, group=group)
    except RuntimeError as error:
        return numbers[0].item(), str(error)
    return numbers[0].item(), None


@pytest.mark.claim(
    zh="rank 0 多一次 all_reduce，而后面还有形状相同的：前面的值悄悄错掉，最后才卡住",
    en="Rank 0 has an all_reduce more, and one of the same shape follows: values are silently wrong, the hang comes last",
    against_zh="手算：100 + 2 = 102，而不是 1 + 2 = 3",
    against_en="by hand: 100 + 2 = 102 instead of 1 + 2 = 3",
    tolerance="0",
    snippets=["distributed/wrong_rank0_only.py"],
)
def test_calls_are_matched_in_order():
    (first, hang), (second, fine) = run_ranks(mismatched, 2)
    assert (first, second) == (102.0, 102.0)
    assert hang is not None
    assert fine is None


def missing(rank, name_all):
    """What who_is_missing.py asks for and prints, with a shorter limit."""
    monitored, asked, printed = dist.monitored_barrier, [], []

    def barrier(group, limit, wait_all_ranks):
        asked.append((dist.get_backend(group), limit, wait_all_ranks))
        monitored(group, timedelta(seconds=1), name_all)

    dist.monitored_barrier = barrier
    who_is_missing.print = lambda text, flush: printed.append(text)
    who_is_missing.train(rank)
    return asked, printed


@pytest.mark.claim(
    zh="monitored_barrier 报出缺席的 rank；不写 wait_all_ranks=True 只报第一个",
    en="monitored_barrier names the absent ranks; without wait_all_ranks=True only the first",
    against_zh="三个 rank，缺席两个",
    against_en="three ranks, two of them absent",
    snippets=["distributed/who_is_missing.py"],
)
def test_monitored_barrier_names_the_absent():
    (asked, printed), *others = run_ranks(missing, 3, True)
    assert printed == [
        "[Rank 0]: Ranks 1, 2 failed to pass monitoredBarrier in 1000 ms"
    ]
    assert asked == [("gloo", timedelta(seconds=2), True)]
    assert others == [([], [])] * 2
    (_, printed), *_ = run_ranks(missing, 3, False)
    assert re.fullmatch(
        r"\[Rank 0\]: Rank [12] failed to pass monitoredBarrier in 1000 ms",
        printed[0],
    )


def everyone_calls(rank):
    return who_is_missing.all_here(dist.group.WORLD, seconds=20)


def test_nobody_is_missing_when_every_rank_calls():
    assert run_ranks(everyone_calls, 2) == [None, None]


def test_monitored_barrier_is_for_gloo():
    source = inspect.getsource(dist.monitored_barrier)
    assert "monitored_barrier is only implemented for GLOO backend" in source


def waits(rank):
    printed = []
    where_it_waits.print_in_turn = printed.append
    where_it_waits.watch(rank)
    return printed


@pytest.mark.claim(
    zh="faulthandler.dump_traceback_later 写出每个 rank 卡在哪个函数",
    en="faulthandler.dump_traceback_later writes the function in which each rank is stuck",
    against_zh="两个 rank 走进不同的集合通信",
    against_en="two ranks in different collectives",
    snippets=["distributed/where_it_waits.py"],
)
def test_each_rank_is_found():
    assert run_ranks(waits, 2) == [
        ["rank 0: all_reduce < evaluate"],
        ["rank 1: barrier < save"],
    ]


def dumped(rank, folder):
    """How often the stack was written into a file that nobody refers to."""
    path = Path(folder, "stack.txt")
    where_it_waits.dump_stacks(path, 0.01)
    gc.collect()
    while path.read_text().count("most recent call first") < 2:
        time.sleep(0.01)
    faulthandler.cancel_dump_traceback_later()
    return "in dumped" in path.read_text()


def test_the_file_stays_open_and_is_written_again(tmp_path):
    assert run_ranks(dumped, 1, str(tmp_path)) == [True]


def test_a_signal_asks_for_the_stack():
    with tempfile.TemporaryFile("w+") as log:
        faulthandler.register(signal.SIGUSR2, file=log)
        os.kill(os.getpid(), signal.SIGUSR2)
        faulthandler.unregister(signal.SIGUSR2)
        log.seek(0)
        assert "in test_a_signal_asks_for_the_stack" in log.read()


def test_the_signal_ends_who_did_not_register_it():
    process = subprocess.Popen(["sleep", "60"])
    process.send_signal(signal.SIGUSR2)
    assert process.wait() == -signal.SIGUSR2


def test_how_torchrun_starts_a_rank():
    """What the page's pgrep looks for; torchrun has no -u of its own."""
    arguments = parse_args(["--nproc-per-node=2", "train.py"])
    _, command, options = config_from_args(arguments)
    assert (command, options) == (sys.executable, ["-u", "train.py"])


def busy(rank):
    slow_rank.print = lambda text, flush: printed.append(text)
    printed = []
    slow_rank.main(rank)
    return printed


def test_a_patient_group_waits():
    none, printed = run_ranks(busy, 2)
    assert slow_rank.BUSY == 2 * slow_rank.LIMIT.seconds == 2
    assert none == []
    assert printed == [
        "wrong, rank 1: Timed out waiting 1000ms for recv operation to complete",
        "right, rank 1: through",
    ]


def detail_and_ddp(rank):
    dist.destroy_process_group()
    lines = []
    wrong_detail_ddp.print = lambda *text, **_: lines.extend(text)
    wrong_detail_ddp.main()
    return lines


def step(rank):
    ddp = DDP(nn.Linear(4, 1))
    ddp(torch.ones(2, 4)).sum().backward()


def info_and_ddp(rank):
    return launched(step, 1, "INFO")


@pytest.mark.claim(
    zh="torch 2.13：TORCH_DISTRIBUTED_DEBUG=DETAIL 加 gloo 上的 DDP 段错误（exitcode −11），INFO 正常",
    en="torch 2.13: TORCH_DISTRIBUTED_DEBUG=DETAIL with DDP over gloo ends in a segmentation fault (exitcode −11), INFO is fine",
    against_zh="torchrun 的汇总",
    against_en="torchrun's report",
    snippets=["distributed/wrong_detail_ddp.py"],
)
def test_detail_still_crashes_ddp():
    (lines,) = run_ranks(detail_and_ddp, 1)
    text = "\n".join(lines)
    assert re.search(r"exitcode  : -11 \(pid: \d+\)  \(SIGSEGV\)", text), (
        "torch has fixed DETAIL with DDP over gloo: rewrite the section "
        f"#detail of distributed/pitfalls (it now says: {text})"
    )
    assert "error_file: <N/A>" in text
    assert re.search(r"Signal 11 \(SIGSEGV\) received by PID \d+", text)
    assert run_ranks(info_and_ddp, 1) == [None]


def mismatch(rank, path):
    """Return what rank 0 of a launched pair prints."""
    right_detail_ddp.print = functools.partial(write, path)
    launched(right_detail_ddp.train, 2, "DETAIL")
    return Path(path).read_text().splitlines()


def write(path, text, flush=False):
    with open(path, "a") as file:
        file.write(f"{text}\n")


def test_detail_names_the_mismatch(tmp_path):
    (printed,) = run_ranks(mismatch, 1, str(tmp_path / "printed"))
    assert printed == [
        "Detected mismatch between collectives on ranks.",
        "  rank 0: ALLREDUCE",
        "  rank 1: BROADCAST",
        "Op type: ALLREDUCEvs BROADCAST",
    ]


def absent_under_detail(rank):
    return launched(wrong_rank0_only.train, 2, "DETAIL", timeout=1)


def test_detail_names_the_absent():
    (error,) = run_ranks(absent_under_detail, 1)
    assert "[Rank 0]: Ranks 1 failed to pass monitoredBarrier" in error


def forward_on_rank_0(rank):
    """ddp(x) is a collective where there are buffers, ddp.module(x) is not."""
    group = dist.new_group(timeout=timedelta(seconds=1))
    ddp = DDP(nn.BatchNorm1d(2), process_group=group)
    if rank == 0:
        ddp.module(torch.ones(3, 2))
        with pytest.raises(RuntimeError):
            ddp(torch.ones(3, 2))
    return True


def test_a_forward_with_buffers_is_a_collective():
    assert run_ranks(forward_on_rank_0, 2) == [True, True]


def test_the_flight_recorder(capsys):
    """hang_env.sh names variable, prefix and program; torch has them."""
    root = Path(torch.__file__).parent
    header = "include/torch/csrc/distributed/c10d/FlightRecorder.hpp"
    size = r'getCvarInt\(\s*\{"TORCH_FR_BUFFER_SIZE", .*?\}, 2000\)'
    assert re.search(size, (root / header).read_text("utf-8"))
    with open(root / "lib/libtorch_cpu.so", "rb") as file:
        library = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        assert library.find(b"TORCH_FR_DUMP_TEMP_FILE\0") > 0
    script = Path(slow_rank.__file__).with_name("hang_env.sh").read_text()
    assert "export TORCH_FR_DUMP_TEMP_FILE=/shared/fr/rank_\n" in script
    (program,) = entry_points(group="console_scripts", name="torchfrtrace")
    assert "torchfrtrace -p rank_ /shared/fr " in script
    with pytest.raises(SystemExit):
        JobConfig().parse_args(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "-p PREFIX" in said
    assert "one trace file per rank, named with <prefix>_<rank>" in said
    assert program.module == "torch.distributed.flight_recorder.fr_trace"


@pytest.mark.gpu
@pytest.mark.claim(
    zh="NCCL 等待时 GPU 占用 100%，10 分钟后报 Watchdog caught collective operation timeout",
    en="While NCCL waits the GPU shows 100%; after 10 minutes it reports Watchdog caught collective operation timeout",
    against_zh="两块 GPU",
    against_en="two GPUs",
    snippets=["distributed/wrong_rank0_only.py"],
)
def test_nccl_watchdog():
    pytest.skip("two GPUs and ten minutes: to be tried by hand")
