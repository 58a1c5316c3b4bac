"""validation_sampler.py: a partition, and an accuracy that is exact."""

from fractions import Fraction

import pytest
import torch
import torch.distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import DistributedSampler

import validation_sampler as vs
from ranks import run_ranks


def accuracies(rank, n, world_size):
    """(padded, dropped, ours) of a model that gets samples 0 and 1 wrong."""
    data = [(0, int(i < 2)) for i in range(n)]
    samplers = [
        DistributedSampler(data, shuffle=False),
        DistributedSampler(data, shuffle=False, drop_last=True),
        vs.ValidationSampler(n, world_size, rank),
    ]
    return [vs.accuracy(nn.Identity(), data, s) for s in samplers]


def printed(rank):
    lines = []
    vs.print = lambda text, flush: lines.append(text)
    vs.main(rank)
    return lines


@settings(deadline=None, max_examples=50)
@given(n=st.integers(0, 60), world_size=st.integers(1, 9))
def test_a_partition(n, world_size):
    """ValidationSampler neither pads nor drops: each sample comes
    exactly once, and ranks differ by 1 at most.
    """
    shards = [vs.ValidationSampler(n, world_size, r) for r in range(world_size)]
    assert sorted(i for shard in shards for i in shard) == list(range(n))
    sizes = [len(shard) for shard in shards]
    assert sizes == [len(list(shard)) for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    assert all(i % world_size == r for r, s in enumerate(shards) for i in s)


@pytest.mark.claim(
    zh="9 个样本 2 个 rank，答对 7 个：DistributedSampler 报 7/10，drop_last 报 6/8，不补齐的采样器报 7/9",
    en="9 samples on 2 ranks, 7 right: DistributedSampler reports 7/10, drop_last 6/8, the sampler without padding 7/9",
    against_zh="分数手算；另有 W = 4 和 n < W",
    against_en="fractions by hand; also W = 4, and n < W",
    tolerance="1e-7",
)
@pytest.mark.parametrize(
    "n, world_size, expected",
    [
        (9, 2, (Fraction(7, 10), Fraction(6, 8), Fraction(7, 9))),
        # padded with 0, 1, 2 to 12; dropped to 8
        (9, 4, (Fraction(8, 12), Fraction(6, 8), Fraction(7, 9))),
    ],
)
def test_the_bias_of_padding(n, world_size, expected):
    for answer in run_ranks(accuracies, world_size, n, world_size):
        assert answer == pytest.approx([float(f) for f in expected], abs=1e-7)


def fewer_samples_than_ranks(rank):
    data = [(0, 0), (0, 1)]
    return vs.accuracy(nn.Identity(), data, vs.ValidationSampler(2, 3, rank))


def test_a_rank_without_samples_joins_in():
    assert run_ranks(fewer_samples_than_ranks, 3) == [0.5] * 3


class Sign(nn.Module):
    """1 where a number lies above BatchNorm's mean; Dropout must be off."""

    def __init__(self):
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(1), nn.Dropout(0.9)

    def forward(self, x):
        return (self.norm(self.drop(x.float()[:, None])) > 0)[:, 0].long()


def with_batch_norm(rank):
    """Rank 1's running mean is off; rank 0's 4.5 answers all ten right."""
    model = Sign()
    model.norm.running_mean.fill_(4.5 if rank == 0 else 100.0)
    data = [(i, int(i > 4)) for i in range(10)]
    result = vs.accuracy(model, data, vs.ValidationSampler(10, 2, rank))
    return result, model.norm.running_mean.item(), model.training


def test_batch_norm_and_dropout():
    """Rank 0's statistics count everywhere, and validation leaves them."""
    assert run_ranks(with_batch_norm, 2) == [(1.0, 4.5, True)] * 2


def without_broadcast(rank):
    dist.broadcast = lambda tensor, source: None
    return with_batch_norm(rank)[0]


def test_without_the_broadcast_ranks_validate_different_models():
    assert run_ranks(without_broadcast, 2) == [0.7] * 2


def many(rank):
    """2^24 right answers and a wrong one: more than float32 can count."""
    zeros = torch.zeros(1, dtype=torch.int8).expand(2**24)
    one = torch.zeros(1, dtype=torch.int8)
    vs.DataLoader = lambda *_, **__: [(zeros, zeros), (one, one + 1)]
    return vs.accuracy(nn.Identity(), None, None)


def test_counts_beyond_float32():
    assert run_ranks(many, 1) == [2**24 / (2**24 + 1)]


def test_shuffle_is_the_default():
    assert list(DistributedSampler(range(8), 1, 0)) != list(range(8))


def test_how_large_the_bias_can_be():
    """10 000 samples on 64 ranks: 48 come twice, 0.48 points at most."""
    shards = [
        list(DistributedSampler(range(10_000), 64, rank)) for rank in range(64)
    ]
    again = sum(map(len, shards)) - len({i for s in shards for i in s})
    assert again == -10_000 % 64 == 48
    worst = max(
        abs(Fraction(right + extra, 10_048) - Fraction(right, 10_000))
        for right in (0, 48, 5_000, 9_952, 10_000)
        for extra in (0, 48)
        if extra <= right <= 10_000 - 48 + extra
    )
    assert f"{float(worst):.2%}" == "0.48%"


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert [line.split()[-1] for line in lines] == ["0.7000", "0.7500", "0.7778"]
