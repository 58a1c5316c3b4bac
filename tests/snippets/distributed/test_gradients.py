"""gradients.py against the closed form of softmax regression."""

import numpy as np
import pytest
import torch
import torch.distributed as dist

import gradients
from ranks import run_ranks


def closed_form(reduction="mean", rows=slice(None)):
    """(softmax(x wᵀ + b) − one-hot)ᵀ x, in NumPy."""
    x, y = (t.numpy()[rows] for t in gradients.make_batch())
    w, b = (p.detach().numpy() for p in gradients.make_model().parameters())
    p = np.exp(x @ w.T + b)
    p /= p.sum(1, keepdims=True)
    grad = (p - np.eye(3)[y]).T @ x
    return grad / len(x) if reduction == "mean" else grad


def several(rank, cases):
    return [gradients.ddp_gradient(*case) for case in cases]


def gradients_of(cases, world_size=2):
    """One array a case, after checking that the ranks hold the same."""
    first, *others = run_ranks(several, world_size, cases)
    assert all(
        torch.equal(a, b)
        for o in others
        for a, b in zip(first, o, strict=True)
    )
    return [grad.numpy() for grad in first]


def relative(grad, whole):
    return np.linalg.norm(grad - whole) / np.linalg.norm(whole)


def test_whole_gradient_equals_the_closed_form():
    for reduction in ("mean", "sum"):
        ours = gradients.whole_gradient(reduction).numpy()
        np.testing.assert_allclose(ours, closed_form(reduction), atol=1e-13)


@pytest.mark.claim(
    zh="各 rank 样本数相同、损失取平均时，DDP 的梯度就是整批的梯度（W = 2、4）",
    en="With equal shards and a mean loss, DDP's gradient is the whole batch's (W = 2, 4)",
    against_zh="NumPy 闭式解，16 个样本一起算",
    against_en="the closed form in NumPy from all 16 samples",
    tolerance="1e-14",
)
@pytest.mark.parametrize("sizes", [[8, 8], [4, 4, 4, 4]], ids=str)
def test_equal_shards(sizes):
    (grad,) = gradients_of([(sizes,)], len(sizes))
    np.testing.assert_allclose(grad, closed_form(), rtol=0, atol=1e-14)


@pytest.mark.claim(
    zh="12 + 4 的不等批次：DDP 给出两个局部平均的平均，偏离整批梯度 55.95%",
    en="Unequal batches of 12 + 4: DDP averages the two local means, 55.95% off the whole batch",
    against_zh="NumPy 闭式解",
    against_en="the closed form in NumPy",
    tolerance="1e-14",
)
def test_unequal_shards_are_off():
    (grad,) = gradients_of([([12, 4],)])
    a, b = closed_form(rows=slice(12)), closed_form(rows=slice(12, 16))
    np.testing.assert_allclose(grad, (a + b) / 2, rtol=0, atol=1e-14)
    assert f"{relative(grad, closed_form()):.2%}" == "55.95%"


@pytest.mark.claim(
    zh="损失乘以 n_r·W/Σn 之后，任意切分都得到整批的梯度",
    en="With the loss scaled by n_r·W/Σn every split gives the whole batch's gradient",
    against_zh="NumPy 闭式解；5 种切分",
    against_en="the closed form in NumPy; five splits",
    tolerance="1e-14",
)
def test_weighting_mends_it():
    splits = [[12, 4], [1, 15], [15, 1], [7, 9], [8, 8]]
    for grad in gradients_of([(split, "mean", True) for split in splits]):
        np.testing.assert_allclose(grad, closed_form(), rtol=0, atol=1e-14)
    (grad,) = gradients_of([([1, 2, 13], "mean", True)], 3)
    np.testing.assert_allclose(grad, closed_form(), rtol=0, atol=1e-14)


@pytest.mark.claim(
    zh="损失取和时，DDP 的梯度是整批梯度的 1/W（W = 2、4）",
    en="With a summed loss, DDP's gradient is 1/W of the whole batch's (W = 2, 4)",
    against_zh="NumPy 闭式解",
    against_en="the closed form in NumPy",
    tolerance="1e-13",
)
@pytest.mark.parametrize("sizes", [[8, 8], [4, 4, 4, 4], [12, 4]], ids=str)
def test_sum_loss_is_1_over_w(sizes):
    (grad,) = gradients_of([(sizes, "sum")], len(sizes))
    whole = closed_form("sum") / len(sizes)
    np.testing.assert_allclose(grad, whole, rtol=0, atol=1e-13)


def what_all_reduce_gives(rank):
    mine = torch.arange(3.0) + 10 * rank
    received = mine.clone()
    dist.all_reduce(received)
    return mine, received


@pytest.mark.claim(
    zh="all-reduce 之后每个 rank 得到的是总和，形状与自己的一份相同，而不是所有人的梯度",
    en="After an all-reduce each rank has the sum, shaped like its own part, not everyone's gradients",
    against_zh="四个 rank 各自的张量相加",
    against_en="the four ranks' tensors added up",
    tolerance="0",
)
def test_all_reduce_gives_the_sum_not_the_list():
    parts = run_ranks(what_all_reduce_gives, 4)
    total = sum(mine for mine, _ in parts)
    for _, received in parts:
        assert torch.equal(received, total)
