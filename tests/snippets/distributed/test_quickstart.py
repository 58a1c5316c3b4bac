"""quickstart.py: the same numbers as one process, however it is started."""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP

import quickstart
import single
from ranks import run_ranks

torch.set_num_threads(1)  # as torchrun does; more only wait for each other
SNIPPETS = ["distributed/quickstart.py"]
FOLDER = Path(quickstart.__file__).parent


def captured(train, *args):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        model = train(*args)
    return model.state_dict(), printed.getvalue()


def ddp_training(rank):
    state, printed = captured(quickstart.train, "cpu")
    return {k.removeprefix("module."): v for k, v in state.items()}, printed


def unlike_models(rank):
    torch.manual_seed(rank)
    model = torch.nn.Linear(3, 2)
    before = model.weight.detach().clone()
    return before, DDP(model).module.weight.detach()


def count_buckets(rank):
    """How many buckets DDP fills in one step, and the bytes in them."""
    sizes = []

    def hook(state, bucket):
        sizes.append(bucket.buffer().nbytes)
        return allreduce_hook(None, bucket)

    ddp = DDP(quickstart.make_model())
    ddp.register_comm_hook(None, hook)
    ddp(torch.ones(1, 16)).sum().backward()
    return sizes, ddp.bucket_bytes_cap, dist._DEFAULT_FIRST_BUCKET_BYTES


def unlike_rates(rank):
    ddp = DDP(torch.nn.Linear(3, 2))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1 * (rank + 1))
    for _ in range(2):
        ddp(torch.ones(1, 3)).sum().backward()
        optimizer.step()
    return ddp.module.weight.detach()


def run(command, folder, limit=60):
    """Run a command; at the limit end all that it started, gently first.

    torchrun that is killed leaves its workers behind; on SIGTERM it ends them.
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    mark = {"STARTED_BY": str(folder)}  # workers have sessions of their own
    env = {**os.environ, **mark, "PATH": path, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=10)
            raise
        finally:
            left = started_by(folder)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
    assert process.returncode == 0, err
    assert not left, f"{command} left processes behind"
    return out


def started_by(folder):
    """Processes that carry the mark in their environment and are alive."""
    mark, found = f"STARTED_BY={folder}".encode(), []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environ.read_bytes().split(b"\0"):
                found.append(int(environ.parent.name))
    return found


@pytest.mark.claim(
    zh="W = 1、2、4 个进程训练出的损失与权重，和单进程相同",
    en="Losses and weights after training on W = 1, 2 and 4 processes are those of one process",
    against_zh="single.py：同样的批次，一个进程",
    against_en="single.py: the same batches in one process",
    tolerance="1e-6",
)
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_same_result_as_one_process(world_size):
    alone, printed_alone = captured(single.train, "cpu")
    for rank, (state, printed) in enumerate(
        run_ranks(ddp_training, world_size)
    ):
        for name, weight in alone.items():
            torch.testing.assert_close(state[name], weight, rtol=0, atol=1e-6)
        assert printed == (printed_alone if rank == 0 else "")


@pytest.mark.claim(
    zh="训练后每个 rank 的权重逐位相同",
    en="After training, the weights are equal bit for bit on every rank",
    against_zh="rank 0 的权重",
    against_en="rank 0's weights",
    tolerance="0",
)
def test_ranks_end_bit_equal():
    first, *others = [state for state, _ in run_ranks(ddp_training, 4)]
    for state in others:
        assert all(torch.equal(state[name], first[name]) for name in first)


@pytest.mark.claim(
    zh="DDP(...) 用 rank 0 的参数覆盖其他 rank：种子不同也从同一点出发",
    en="DDP(...) overwrites every rank's parameters with rank 0's: unlike seeds start alike",
    against_zh="构造之前 rank 0 的参数",
    against_en="rank 0's parameters before construction",
    tolerance="0",
)
def test_construction_broadcasts_rank_0():
    (first, after_0), (second, after_1) = run_ranks(unlike_models, 2)
    assert not torch.equal(first, second)
    assert torch.equal(after_0, first)
    assert torch.equal(after_1, first)


@pytest.mark.claim(
    zh="`torchrun` 启动与 `python` 直接启动，打印的内容相同，不留下进程",
    en="Started by `torchrun` it prints what it prints started by `python`, and leaves no process",
    against_zh="页面上 `python quickstart.py` 的输出",
    against_en="the output of `python quickstart.py` on the page",
    tolerance="0",
)
def test_torchrun_prints_the_same(tmp_path):
    for name in ("quickstart.py", "run_quickstart.sh"):
        shutil.copy(FOLDER / name, tmp_path)
    printed = run(["bash", "-euo", "pipefail", "run_quickstart.sh"], tmp_path)
    if torch.cuda.is_available():  # as many ranks as there are GPUs
        assert "rank 1 on cuda:1" in printed or torch.cuda.device_count() == 1
    else:
        assert printed == (FOLDER / "quickstart.out").read_text()


@pytest.mark.claim(
    zh="DDP 不同步参数：各 rank 学习率不同，权重就分开，不报错",
    en="DDP does not synchronise parameters: with unlike learning rates the ranks part, without an error",
    against_zh="两个 rank 的权重",
    against_en="the weights of both ranks",
)
def test_unlike_optimizers_drift_apart():
    a, b = run_ranks(unlike_rates, 2)
    assert not torch.equal(a, b)


def test_the_bucket_sizes_in_the_text():
    sizes, cap, first_cap = run_ranks(count_buckets, 2)[0]
    assert len(sizes) == 1
    assert round(sizes[0] / 1024, 1) == 4.8
    assert (cap, first_cap) == (25 * 2**20, 2**20)


@pytest.mark.claim(
    zh="每个进程都有 GPU 才用 GPU，否则全用 CPU",
    en="GPUs are used when each process has one, otherwise all use the CPU",
    against_zh="0、1、2 块 GPU 与 1、2 个进程的每种搭配",
    against_en="each combination of 0, 1 or 2 GPUs with 1 or 2 processes",
)
@pytest.mark.parametrize("gpus, processes, device", [
    (0, 1, "cpu"), (0, 2, "cpu"), (1, 2, "cpu"),
    (1, 1, "cuda:0"), (2, 1, "cuda:0"), (2, 2, "cuda:1"),
])
def test_device_of_the_last_rank(monkeypatch, gpus, processes, device):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(processes))
    monkeypatch.setenv("LOCAL_RANK", str(processes - 1))
    assert quickstart.pick_device() == device


@pytest.mark.gpu
@pytest.mark.claim(
    zh="同一个文件在两块 GPU 上以 NCCL 运行，每个 rank 一块",
    en="The same file runs on two GPUs over NCCL, one for each rank",
    against_zh="CPU 上的单进程损失",
    against_en="the losses of one process on the CPU",
    tolerance="2e-3",
)
def test_two_gpus(tmp_path):
    if torch.cuda.device_count() < 2:
        pytest.skip("fewer than two CUDA GPUs here")
    shutil.copy(FOLDER / "quickstart.py", tmp_path)
    printed = run([sys.executable, "quickstart.py"], tmp_path).splitlines()
    _, expected = captured(single.train, "cpu")
    for ours, theirs in zip(printed, expected.splitlines(), strict=False):
        assert abs(float(ours.split()[-1]) - float(theirs.split()[-1])) < 2e-3
    assert "rank 1 on cuda:1" in printed[-1]
