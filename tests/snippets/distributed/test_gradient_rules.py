"""gradient_rules.py against softmax regression in NumPy."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import gradient_rules as rules
from ranks import run_ranks


def closed_form(valid_of=(0, 1)):
    """Mean over the valid tokens of (softmax(x wᵀ + b) − one-hot)ᵀ x."""
    x, y = (t.numpy() for t in rules.make_tokens())
    rows = np.concatenate([12 * r + np.arange(rules.VALID[r]) for r in valid_of])
    x, y = x[rows], y[rows]
    w, b = (p.detach().numpy() for p in rules.make_model().parameters())
    p = np.exp(x @ w.T + b)
    p /= p.sum(1, keepdims=True)
    return (p - np.eye(5)[y]).T @ x / len(x)


def clipped(grad, limit=0.1):
    return grad * min(1, limit / np.linalg.norm(grad))


def gradients(rank, *cases):
    """A case "alone" is one process with all tokens."""
    return [
        rules.gradient(None if options.pop("alone", 0) else rank, **options)
        .cpu()
        .numpy()
        for options in cases
    ]


def gradients_of(*cases):
    first, second = run_ranks(gradients, 2, *cases)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    return first


def off(grad, reference):
    return f"{np.linalg.norm(grad - reference) / np.linalg.norm(reference):.2%}"


def scaler_on_rank_1(rank):
    """A GradScaler whose rank 1 alone overflows."""
    ddp = DDP(nn.Linear(2, 1))
    before = ddp.module.weight.detach().clone()
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    x = torch.ones(1, 2) * (float("inf") if rank == 1 else 1)
    scaler.scale(ddp(x).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return torch.equal(before, ddp.module.weight), scaler.get_scale()


def masked_means(rank):
    """Rank 1 has no valid token: the sum, and means two ways."""
    rules.VALID = [9, 0]
    summed = rules.gradient(rank, weighted=True).cpu().numpy()
    x, y = (t.chunk(2)[rank] for t in rules.make_tokens())
    loss = rules.cross_entropy(rules.make_model()(x), y)
    model = DDP(rules.make_model())
    valid = (y != -100).double()
    mean = (model(x).sum(1) * valid).sum() / valid.sum()
    (mean * valid.sum() * 2 / 9).backward()
    return summed, loss.isnan().item(), model.module.weight.grad.isnan().all()


def printed(rank):
    lines = []
    rules.print = lambda text, flush: lines.append(text)
    rules.main(rank)
    return lines


@pytest.mark.claim(
    zh="各 rank 有效 token 数不同（9 与 4）：平均偏离 37.52%；按 token 数加权之后相同，损失放大 65536 倍再除回也相同",
    en="Unequal valid tokens (9 and 4): the average is 37.52% off; weighted by tokens it is the same, with the loss scaled by 65536 and unscaled too",
    against_zh="NumPy 闭式解，13 个 token 一起算",
    against_en="the closed form in NumPy from all 13 tokens",
    tolerance="1e-14",
)
def test_token_counts_and_scaling():
    plain, weighted, scaled, alone = gradients_of(
        {},
        {"weighted": True},
        {"weighted": True, "scale": 65536.0},
        {"alone": True},
    )
    whole = closed_form()
    mean = (closed_form([0]) + closed_form([1])) / 2
    np.testing.assert_allclose(plain, mean, rtol=0, atol=1e-14)
    assert off(plain, whole) == "37.52%"
    for grad in (weighted, scaled, alone):
        np.testing.assert_allclose(grad, whole, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(weighted, scaled)


def test_clipping_before_and_after():
    after, before, alone = gradients_of(
        {"weighted": True, "clip": "after"},
        {"weighted": True, "clip": "before"},
        {"alone": True, "clip": "after"},
    )
    whole = clipped(closed_form())
    assert np.linalg.norm(closed_form()) > 0.1
    # clip_grad_norm_ divides by norm + 1e-6
    np.testing.assert_allclose(after, whole, rtol=1e-4, atol=0)
    np.testing.assert_allclose(after, alone, rtol=1e-12, atol=0)
    own = [
        clipped(closed_form([r]) * rules.VALID[r] * 2 / sum(rules.VALID))
        for r in (0, 1)
    ]
    np.testing.assert_allclose(before, sum(own) / 2, rtol=1e-7, atol=0)
    assert off(before, alone) == "21.53%"


def test_a_rank_without_a_valid_token():
    """The sum is fine; the mean is 0/0, and by hand its gradient as well."""
    answers = run_ranks(masked_means, 2)
    for summed, _, nan in answers:
        np.testing.assert_allclose(summed, masked_reference(), rtol=0, atol=1e-14)
        assert nan
    assert [nan for _, nan, _ in answers] == [False, True]


def masked_reference():
    """Rank 1's targets do not matter: the nine tokens of rank 0."""
    return closed_form([0])


def test_only_a_power_of_two_keeps_the_bits():
    plain, two, ten = gradients_of(
        {"weighted": True},
        {"weighted": True, "scale": 2.0**16},
        {"weighted": True, "scale": 1e4},
    )
    assert np.array_equal(plain, two)
    assert not np.array_equal(plain, ten)


def test_unscale_comes_before_clipping():
    """Until unscale_ the gradients are 65536 times too large."""
    weight = nn.Parameter(torch.tensor([3.0]))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight * 0.5).backward()
    assert weight.grad.item() == 0.5 * 65536
    scaler.unscale_(optimizer)
    assert weight.grad.item() == 0.5


def test_an_overflow_on_one_rank_skips_the_step_everywhere():
    """If rank 1 alone overflows, the average is inf on every rank:
    GradScaler skips that step everywhere and halves the scale
    everywhere.
    """
    assert run_ranks(scaler_on_rank_1, 2) == [(True, 32768.0)] * 2


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    shown = [line.split("off by")[1].strip() for line in lines]
    assert shown == ["37.52%", "0.00%", "0.00%", "0.00%", "21.53%"]
