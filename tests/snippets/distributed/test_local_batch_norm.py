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


@pytest.mark.claim(
    zh="DDP 下每个 rank 的批归一化只看自己的 4 个样本：方差 1.67，而 8 个样本一起是 6.00",
    en="Under DDP a rank's batch norm sees its own 4 samples only: variance 1.67, where all 8 have 6.00",
    against_zh="手算：0…3、4…7 与 0…7 的无偏方差 5/3、5/3 与 6",
    against_en="by hand: the unbiased variances of 0…3, 4…7 and 0…7 are 5/3, 5/3 and 6",
    tolerance="0.005",
)
def test_each_rank_sees_its_own_samples():
    assert run_ranks(lines, 2) == [
        ["rank 0: [0, 1, 2, 3] mean 1.50, variance 1.67",
         "all 8: mean 3.50, variance 6.00"],
        ["rank 1: [4, 5, 6, 7] mean 5.50, variance 1.67"],
    ]


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


@pytest.mark.claim(
    zh="批归一化的统计跨样本：加样本就变，加特征不影响已有的特征",
    en="Batch norm's statistics run over samples: more samples change them, another feature does not",
    against_zh="逐列与 torch.mean 比较",
    against_en="compared with torch.mean column by column",
    tolerance="1e-6",
)
def test_batch_norm_counts_samples_not_feature_layers():
    def means(x):
        layer = nn.BatchNorm1d(x.shape[1], momentum=1.0)
        layer(x)
        return layer.running_mean
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(means(x), x.mean(0), atol=1e-6, rtol=0)
    torch.testing.assert_close(means(x[:, :2]), means(x)[:2])
    assert (means(x[:4]) - means(x)).abs().max() > 0.1
