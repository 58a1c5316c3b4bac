"""accumulation.py and wrong_no_sync.py: the gradient, and what it costs."""

from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import accumulation
import wrong_no_sync
from ranks import run_ranks
from sync_batch_norm import SyncBatchNorm

SNIPPETS = ["distributed/accumulation.py", "distributed/wrong_no_sync.py"]
torch.set_num_threads(1)


def forward_in_backward_out(ddp, batches):
    """The other half: only forward inside no_sync."""
    for number, (x, y) in enumerate(batches, 1):
        if number < len(batches):
            with ddp.no_sync():
                loss = nn.functional.mse_loss(ddp(x), y)
        else:
            loss = nn.functional.mse_loss(ddp(x), y)
        (loss / len(batches)).backward()


WAYS = {
    way.__name__: way
    for way in (
        accumulation.accumulate,
        accumulation.in_one_go,
        accumulation.without_no_sync,
        accumulation.not_divided,
        wrong_no_sync.accumulate_wrong,
        forward_in_backward_out,
    )
}


def measure(rank, names):
    return {name: accumulation.gradient(WAYS[name], rank) for name in names}


@pytest.fixture(scope="module")
def measured():
    first, second = run_ranks(measure, 2, list(WAYS))
    for name in WAYS:
        assert first[name][0] == second[name][0]
        assert torch.equal(first[name][1], second[name][1])
    return first


def closed_form():
    """2 xᵀ(xw + b − y) / (64 · 3) over both ranks' 32 samples, in float64."""
    torch.manual_seed(0)
    weight, bias = (p.detach().double() for p in nn.Linear(8, 3).parameters())
    total = torch.zeros(3, 8, dtype=torch.float64)
    for rank in range(2):
        torch.manual_seed(1 + rank)
        x, y = torch.randn(32, 8).double(), torch.randn(32, 3).double()
        total += 2 * (x @ weight.T + bias - y).T @ x / (64 * 3)
    return total


@pytest.mark.claim(
    zh="前向与反向都放进 no_sync：4 个微批次只有 1 次 all-reduce，梯度等于整批的梯度",
    en="With forward and backward inside no_sync, 4 micro-batches take 1 all-reduce and give the whole batch's gradient",
    against_zh="线性回归梯度的闭式解（float64），通信钩子计数",
    against_en="the closed form of linear regression's gradient in float64; calls counted by a hook",
    tolerance="1e-6",
    snippets=["distributed/accumulation.py"],
)
def test_one_all_reduce_and_the_same_gradient(measured):
    for name, calls in [("accumulate", 1), ("in_one_go", 1), ("without_no_sync", 4)]:
        times, grad = measured[name]
        assert times == calls
        torch.testing.assert_close(grad.double(), closed_form(), rtol=0, atol=1e-6)


@pytest.mark.claim(
    zh="只把反向放进 no_sync：仍是 4 次 all-reduce，梯度也对，一次也没省",
    en="With only backward inside no_sync there are still 4 all-reduces; the gradient is right and nothing is saved",
    against_zh="通信钩子计数",
    against_en="calls counted by a hook",
    snippets=["distributed/wrong_no_sync.py"],
)
def test_backward_alone_saves_nothing(measured):
    times, grad = measured["accumulate_wrong"]
    assert times == 4
    torch.testing.assert_close(grad.double(), closed_form(), rtol=0, atol=1e-6)


def test_forward_alone_decides(measured):
    times, grad = measured["forward_in_backward_out"]
    assert times == 1
    torch.testing.assert_close(grad.double(), closed_form(), rtol=0, atol=1e-6)


def test_without_division_it_is_4_times_as_large(measured):
    grad = measured["not_divided"][1].double()
    torch.testing.assert_close(grad, 4 * closed_form(), rtol=0, atol=1e-6)


def with_batch_norm(rank):
    """The first layer's gradient: a batch of 32 at once, and in 4 parts."""
    grads = []
    for way in (accumulation.in_one_go, accumulation.accumulate):
        torch.manual_seed(0)
        ddp = DDP(nn.Sequential(nn.Linear(8, 4), SyncBatchNorm(4), nn.Linear(4, 3)))
        torch.manual_seed(1 + rank)
        x, y = torch.randn(32, 8), torch.randn(32, 3)
        way(ddp, list(zip(x.split(8), y.split(8), strict=True)))
        grads.append(ddp.module[0].weight.grad)
    return ((grads[1] - grads[0]).norm() / grads[0].norm()).item()


def test_batch_norm_sees_micro_batches():
    assert {f"{off:.0%}" for off in run_ranks(with_batch_norm, 2)} == {"25%"}


def loop(ddp, optimizer, loader, k):
    """The loop as it is often written, with a last step for what is left."""
    for number, (x, y) in enumerate(loader, 1):
        with nullcontext() if number % k == 0 else ddp.no_sync():
            (nn.functional.mse_loss(ddp(x), y) / k).backward()
        if number % k == 0:
            optimizer.step()
            optimizer.zero_grad()
    optimizer.step()


def leftover(rank, train):
    """Six batches in groups of four: two are left over."""
    torch.manual_seed(0)
    ddp = DDP(nn.Linear(8, 3))
    optimizer = torch.optim.SGD(ddp.parameters(), 0.1)
    torch.manual_seed(1 + rank)
    x, y = torch.randn(48, 8), torch.randn(48, 3)
    train(ddp, optimizer, list(zip(x.split(8), y.split(8), strict=True)), 4)
    return ddp.module.weight.detach(), x, y


@pytest.mark.claim(
    zh="6 批、每 4 批更新一次：剩下的 2 批也同步，权重等于单进程两步；常见的写法在 no_sync 里算完它们，各 rank 的权重从此不同",
    en="6 batches, an update after each 4: with the 2 left over synchronised as well, the weights are those of two steps in one process; the usual loop leaves them in no_sync, and the ranks' weights differ from then on",
    against_zh="单进程、两个 rank 的数据合在一起",
    against_en="one process with both ranks' data",
    tolerance="1e-6",
    snippets=["distributed/accumulation.py"],
)
def test_what_is_left_over():
    (a, *first), (b, *second) = run_ranks(leftover, 2, accumulation.train)
    torch.manual_seed(0)
    model = nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for part in (slice(32), slice(32, 48)):
        x, y = (torch.cat([p[part], q[part]]) for p, q in zip(first, second, strict=True))
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    assert torch.equal(a, b)
    torch.testing.assert_close(a, model.weight.detach(), rtol=0, atol=1e-6)
    (a, *_), (b, *_) = run_ranks(leftover, 2, loop)
    assert not torch.equal(a, b)


def lines(rank, module, name):
    printed = []
    module.print = lambda text, end="\n", flush=False: printed.append(text + end)
    getattr(module, name)(rank)
    return "".join(printed)


def test_what_is_printed():
    text, nothing = run_ranks(printed_by_both, 2)
    assert nothing == ("", "")
    head, *rows = [line.split() for line in text[0].splitlines()]
    assert head == ["all-reduces", "gradient"]
    assert rows == [
        ["in_one_go", "1", "1.000"],
        ["without_no_sync", "4", "1.000"],
        ["accumulate", "1", "1.000"],
        ["not_divided", "4", "4.000"],
    ]
    assert text[1] == "4 all-reduces for 4 micro-batches\n"


def printed_by_both(rank):
    return lines(rank, accumulation, "compare"), lines(rank, wrong_no_sync, "show")
