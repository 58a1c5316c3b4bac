"""sampler.py against the order written out by hand."""

import math
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import sampler
from ranks import run_ranks

SIZES = {"n": st.integers(1, 60), "world_size": st.integers(1, 9)}


def by_hand(n, world_size, epoch, seed=0):
    """randperm(n, seed + epoch), repeated up to a multiple of W, [rank::W]."""
    gen = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(n, generator=gen).tolist()
    length = math.ceil(n / world_size) * world_size
    order = (order * math.ceil(length / n))[:length]
    return [order[rank::world_size] for rank in range(world_size)]


def validate_on_rank_0(rank):
    """Rank 0 evaluates a BatchNorm, first the model inside, then the DDP."""
    group = dist.new_group(timeout=timedelta(seconds=1))
    ddp = DDP(nn.BatchNorm1d(2), process_group=group).eval()
    if rank == 0:
        with torch.no_grad():
            inside = ddp.module(torch.ones(3, 2))
            with pytest.raises(RuntimeError, match="Timed out|timeout"):
                ddp(torch.ones(3, 2))
        return inside.shape
    return None


@pytest.mark.claim(
    zh="只在 rank 0 上验证：含 BatchNorm 时 ddp(x) 等到超时，ddp.module(x) 正常",
    en="Validating on rank 0 alone: with a BatchNorm ddp(x) waits until the timeout, ddp.module(x) works",
    against_zh="两个 rank，只有 rank 0 做前向，时限 1 s",
    against_en="two ranks, a forward on rank 0 only, a limit of 1 s",
)
def test_validation_on_one_rank():
    assert run_ranks(validate_on_rank_0, 2) == [(3, 2), None]


@pytest.mark.claim(
    zh="DistributedSampler 的次序：randperm(n, seed + epoch)，补齐到 W 的倍数，取 [rank::W]",
    en="DistributedSampler's order: randperm(n, seed + epoch), filled up to a multiple of W, [rank::W]",
    against_zh="按公式逐个写出（hypothesis 随机取 n、W、epoch）",
    against_en="the formula written out (hypothesis chooses n, W, epoch)",
    tolerance="0",
)
@given(**SIZES, epoch=st.integers(0, 1000))
def test_order(n, world_size, epoch):
    assert sampler.shards(n, world_size, epoch) == by_hand(
        n, world_size, epoch
    )


@pytest.mark.claim(
    zh="各 rank 的分片会重叠：恰好重复 −n mod W 个样本（10 个样本 4 个 rank 重复 2 个）",
    en="Shards do overlap: exactly −n mod W samples come twice (10 on 4 ranks: 2)",
    against_zh="逐个计数",
    against_en="counting",
    tolerance="0",
)
@given(**SIZES)
def test_padding_repeats_samples(n, world_size):
    shards = sampler.shards(n, world_size, shuffle=False)
    flat = [index for shard in shards for index in shard]
    assert {len(shard) for shard in shards} == {math.ceil(n / world_size)}
    assert set(flat) == set(range(n))
    assert len(flat) - n == -n % world_size


def test_ten_samples_on_four_ranks():
    shards = sampler.shards(10, 4, shuffle=False)
    assert shards == [[0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]]
    shuffled = [i for shard in sampler.shards(10, 4) for i in shard]
    assert {i for i in shuffled if shuffled.count(i) == 2} != {0, 1}


@pytest.mark.claim(
    zh="drop_last=True 不重复，但每个 epoch 丢掉 n mod W 个样本",
    en="drop_last=True repeats none and loses n mod W samples each epoch",
    against_zh="逐个计数",
    against_en="counting",
    tolerance="0",
)
@given(**SIZES)
def test_drop_last_loses_samples(n, world_size):
    shards = sampler.shards(n, world_size, shuffle=False, drop_last=True)
    flat = [index for shard in shards for index in shard]
    assert len(flat) == len(set(flat)) == n - n % world_size


@pytest.mark.claim(
    zh="不调用 set_epoch，每个 epoch 的次序都相同；调用之后各不相同，且可重现",
    en="Without set_epoch every epoch has the same order; with it they differ, and repeat on a rerun",
    against_zh="五个 epoch 两两比较",
    against_en="five epochs compared in pairs",
    tolerance="0",
)
def test_set_epoch():
    assert sampler.shards(100, 2) == sampler.shards(100, 2)
    assert sampler.shards(100, 2) == sampler.shards(100, 2, epoch=0)
    epochs = [sampler.shards(100, 2, epoch) for epoch in range(5)]
    assert all(a != b for i, a in enumerate(epochs) for b in epochs[:i])
    assert epochs == [sampler.shards(100, 2, epoch) for epoch in range(5)]


def test_the_shown_table(capsys):
    sampler.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "  rank 2: [2, 6, 0]"
    assert lines[8] == "  rank 2: [2, 6]"
    for epoch, line in enumerate(lines[-3:]):
        assert f"no set_epoch: {by_hand(10, 2, 0)[0]} " in line
        assert line.endswith(f"set_epoch({epoch}): {by_hand(10, 2, epoch)[0]}")
