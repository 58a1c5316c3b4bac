"""wrong_last_batch.py and right_last_batch.py: one batch more on one rank."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import right_last_batch
import wrong_last_batch
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_last_batch.py",
    "distributed/right_last_batch.py",
]


def wrong(rank):
    dist.destroy_process_group()
    try:
        launch(wrong_last_batch.train, timeout=1)
    except RuntimeError as error:
        return str(error)


def right(rank):
    printed = []
    right_last_batch.print_in_turn = printed.append
    steps = []
    forward = DDP.forward

    def counted(self, batch):
        steps.append(len(batch))
        return forward(self, batch)

    DDP.forward = counted
    right_last_batch.train(rank)
    return steps, printed


def joined(rank):
    """Join lets a rank run out of batches: 5 here, 7 there."""
    ddp = DDP(nn.Linear(1, 1))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    steps = 0
    with ddp.join():
        for _ in range([5, 7][rank]):
            optimizer.zero_grad()
            ddp(torch.ones(2, 1)).sum().backward()
            optimizer.step()
            steps += 1
    return steps, ddp.module.weight.detach()


def join_and_reduce(rank):
    """A collective of one's own inside the loop: 5 batches here, 7 there."""
    ddp = DDP(nn.Linear(1, 1))
    with ddp.join():
        for _ in range([5, 7][rank]):
            ddp(torch.ones(2, 1)).sum().backward()
            dist.all_reduce(torch.zeros(()))


def launch_join_and_reduce(rank, path):
    """Return what the processes wrote to stderr when they ended."""
    dist.destroy_process_group()
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    with pytest.raises(RuntimeError):
        launch(join_and_reduce, timeout=5)
    return Path(path).read_text("utf-8", "replace")


def joined_gradients(rank):
    """Gradients of w · (rank + 1), step by step: 1 batch here, 2 there."""
    ddp, grads = DDP(nn.Linear(1, 1, bias=False)), []
    with ddp.join():
        for _ in range([1, 2][rank]):
            ddp.zero_grad()
            ddp(torch.full((1, 1), rank + 1.0)).sum().backward()
            grads.append(ddp.module.weight.grad.item())
    return grads


@pytest.mark.claim(
    zh="手工切分 9 个样本：多一批的 rank 一直等到超时（Timed out waiting）",
    en="Nine samples dealt out by hand: the rank with a batch more waits until the timeout (Timed out waiting)",
    against_zh="两个进程，时限 1 s",
    against_en="two processes with a limit of 1 s",
    snippets=["distributed/wrong_last_batch.py"],
)
def test_it_hangs_until_the_timeout():
    (error,) = run_ranks(wrong, 1)
    assert "Timed out waiting 1000ms for recv operation to complete" in error


@pytest.mark.claim(
    zh="DistributedSampler：每个 rank 的批次数相同，全部跑完",
    en="DistributedSampler: as many batches on each rank, and all get through",
    against_zh="逐 rank 记录每一步的批大小",
    against_en="the batch size of every step, recorded on each rank",
    snippets=["distributed/right_last_batch.py"],
)
def test_the_sampler_evens_it_out():
    through = [
        ([2, 2, 1], ["rank 0 is through"]),
        ([2, 2, 1], ["rank 1 is through"]),
    ]
    assert run_ranks(right, 2) == through


@pytest.mark.claim(
    zh="with ddp.join()：5 批与 7 批都跑完，权重相同",
    en="with ddp.join(): 5 batches here and 7 there get through, with equal weights",
    against_zh="两个 rank 的权重",
    against_en="the weights of both ranks",
    tolerance="0",
    snippets=["distributed/right_last_batch.py"],
)
def test_join_copes_with_unequal_counts():
    (five, a), (seven, b) = run_ranks(joined, 2)
    assert (five, seven) == (5, 7)
    assert torch.equal(a, b)


@pytest.mark.claim(
    zh="ddp.join() 的循环里另有自己的 all_reduce：gloo::EnforceNotMet，进程中止",
    en="An all_reduce of one's own inside ddp.join(): gloo::EnforceNotMet, and the process aborts",
    against_zh="两个进程的 stderr",
    against_en="the stderr of two processes",
    snippets=["distributed/right_last_batch.py"],
)
def test_join_allows_no_other_collective(tmp_path):
    (text,) = run_ranks(launch_join_and_reduce, 1, str(tmp_path / "stderr"))
    assert "gloo::EnforceNotMet" in text


@pytest.mark.claim(
    zh="ddp.join() 里一个 rank 先结束之后，剩下的梯度仍除以 W",
    en="Once a rank has ended inside ddp.join(), the remaining gradients are still divided by W",
    against_zh="手算：(1 + 2) / 2 = 1.5，然后 2 / 2 = 1",
    against_en="by hand: (1 + 2) / 2 = 1.5, then 2 / 2 = 1",
    tolerance="0",
    snippets=["distributed/right_last_batch.py"],
)
def test_join_still_divides_by_the_world_size():
    assert run_ranks(joined_gradients, 2) == [[1.5], [1.5, 1.0]]


def test_gloo_waits_half_an_hour():
    assert dist.constants.default_pg_timeout == timedelta(minutes=30)


def test_nccl_waits_ten_minutes():
    """Its default, from the header that comes with torch."""
    folder = Path(torch.__file__).parent / "include/torch/csrc/distributed"
    header = (folder / "c10d/ProcessGroupNCCL.hpp").read_text("utf-8")
    default = re.search(
        r"kProcessGroupNCCLDefaultTimeout =\s*"
        r"std::chrono::milliseconds\(10 \* 60 \* 1000\)",
        header,
    )
    assert default
