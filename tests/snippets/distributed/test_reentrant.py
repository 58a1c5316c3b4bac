"""wrong_reentrant.py and right_reentrant.py against autograd without DDP."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint

import right_reentrant
import wrong_reentrant
from ranks import run_ranks

SNIPPETS = ["distributed/wrong_reentrant.py", "distributed/right_reentrant.py"]


def train(rank, module):
    lines = []
    module.print = lambda text, flush: lines.append(text)
    try:
        module.train(rank)
    except RuntimeError as error:
        return str(error)
    return lines


def wrong(rank):
    return train(rank, wrong_reentrant)


def right(rank):
    return train(rank, right_reentrant)


def data(rank):
    return torch.randn(2, 4, generator=torch.Generator().manual_seed(rank))


def gradients(rank, name, options):
    """DDP's gradients and the mean of both ranks' without checkpoints."""
    torch.manual_seed(0)
    model = {"right": right_reentrant, "wrong": wrong_reentrant}[name].Twice()
    plain = copy.deepcopy(model)
    ddp = DDP(model, **options)
    for _ in range(2):
        ddp.zero_grad()
        ddp(data(rank)).square().sum().backward()
    for r in range(2):
        x = plain.shared(plain.shared(plain.first(data(r))))
        (x.square().sum() / 2).backward()
    return [
        (p.grad, q.grad)
        for p, q in zip(model.parameters(), plain.parameters(), strict=True)
    ]


class OnlyShared(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.shared = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        for _ in range(2):
            x = checkpoint(self.shared, x, use_reentrant=True)
        return x


def only_shared(rank):
    ddp = DDP(OnlyShared())
    ddp(data(rank).requires_grad_()).square().sum().backward()
    return ddp.module.shared.weight.grad


@pytest.mark.claim(
    zh="同一层被两个可重入的 checkpoint 包着：Expected to mark a variable ready only once",
    en="One layer under two reentrant checkpoints: Expected to mark a variable ready only once",
    against_zh="真实报错，1 个与 2 个 rank",
    against_en="the error itself, one rank and two",
    snippets=["distributed/wrong_reentrant.py"],
)
@pytest.mark.parametrize("world_size", [1, 2])
def test_ready_twice(world_size):
    for error in run_ranks(wrong, world_size):
        assert "Expected to mark a variable ready only once." in error
        assert "name shared.bias has been marked as ready twice" in error


@pytest.mark.claim(
    zh="use_reentrant=False，或可重入加 static_graph=True：梯度正确",
    en="use_reentrant=False, or reentrant with static_graph=True: the gradients are right",
    against_zh="不用 checkpoint、不用 DDP 的 autograd，两个 rank 的平均",
    against_en="autograd without checkpoints and DDP, the mean of two ranks",
    tolerance="1e-5",
    snippets=["distributed/right_reentrant.py"],
)
def test_two_ways_that_are_right():
    for name, options in (
        ("right", {}),
        ("right", {"find_unused_parameters": True}),
        ("wrong", {"static_graph": True}),
    ):
        for answer in run_ranks(gradients, 2, name, options):
            for grad, mean in answer:
                torch.testing.assert_close(grad, mean)
    assert run_ranks(right, 1) == [["one step passed"]]


def test_alone_it_is_wrong_in_silence():
    """If that layer is all of the model: no error, and the ranks'
    gradients differ (torch 2.13).
    """
    a, b = run_ranks(only_shared, 2)
    assert not torch.allclose(a, b), (
        "torch has mended this: rewrite the section on reentrant checkpoints"
    )
