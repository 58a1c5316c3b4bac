"""local_batch_norm.py against torch's own statistics of the joined batch."""

import pytest
import torch
from torch import nn

import local_batch_norm
from ranks import run_ranks


def lines(rank):
    printed = []
    local_batch_norm.print_in_turn = printed.append
    local_batch_norm.print = lambda text, flush: printed.append(text)
    local_batch_norm.compare(rank)
    return printed


def test_each_rank_sees_its_own_samples():
    """Under DDP a rank's batch norm sees its own 4 samples only: variance 1.67,
    where all 8 have 6.00.
    """
    assert run_ranks(lines, 2) == [
        ["rank 0: [0, 1, 2, 3] mean 1.50, variance 1.67",
         "all 8: mean 3.50, variance 6.00"],
        ["rank 1: [4, 5, 6, 7] mean 5.50, variance 1.67"],
    ]


def far_from_zero(rank):
    x = batch() + 10_000
    return local_batch_norm.whole_statistics(x.chunk(2)[rank]), x


def test_a_large_mean_does_not_cancel():
    """In float32 the same sums give a variance that is far off."""
    for (_, variance), x in run_ranks(far_from_zero, 2):
        want = x.double().var().item()
        assert variance == pytest.approx(want, rel=1e-6)
        n, s, q = len(x), x.sum(), x.square().sum()
        assert abs((q - s * s / n) / (n - 1) - want) > 0.1 * want


def test_it_normalises_with_the_biased_variance():
    for x, biased, unbiased in (
        (torch.arange(4.0), 1.25, 5 / 3),
        (torch.arange(8.0), 5.25, 6),
    ):
        layer = nn.BatchNorm1d(1, momentum=1.0, eps=1e-12)
        y = layer(x[:, None]).flatten()
        torch.testing.assert_close(y, (x - x.mean()) / biased**0.5)
        assert layer.running_var.item() == pytest.approx(unbiased)


def batch():
    return torch.randn(13, 1, generator=torch.Generator().manual_seed(0))


def statistics(rank):
    x = batch().split([4, 6, 3])[rank]
    return local_batch_norm.local_statistics(x), local_batch_norm.whole_statistics(x)


@pytest.mark.claim(
    zh="all_reduce 三个和（n、Σx、Σx²），就得到整批的均值与方差，各 rank 样本数不等也成立",
    en="Three sums, n, Σx and Σx², all-reduced give the whole batch's mean and variance, with unequal shares too",
    against_zh="一个 nn.BatchNorm1d 对拼起来的 13 个样本",
    against_en="one nn.BatchNorm1d over the 13 samples joined",
    tolerance="1e-5",
)
def test_three_sums_give_the_whole_batch():
    layer = nn.BatchNorm1d(1, momentum=1.0)
    layer(batch())
    want = layer.running_mean.item(), layer.running_var.item()
    shares = batch().split([4, 6, 3])
    for share, (local, whole) in zip(shares, run_ranks(statistics, 3), strict=True):
        assert whole == pytest.approx(want, abs=1e-5)
        own = share.mean().item(), share.var().item()
        assert local == pytest.approx(own, abs=1e-5)
        assert local != pytest.approx(want, abs=1e-2)


def test_batch_norm_counts_samples_not_feature_layers():
    """Batch norm's statistics run over samples: more samples change them,
    another feature does not.
    """
    def means(x):
        layer = nn.BatchNorm1d(x.shape[1], momentum=1.0)
        layer(x)
        return layer.running_mean
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(means(x), x.mean(0), atol=1e-6, rtol=0)
    torch.testing.assert_close(means(x[:, :2]), means(x)[:2])
    assert (means(x[:4]) - means(x)).abs().max() > 0.1
