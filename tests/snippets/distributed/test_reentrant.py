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
    module = {"right": right_reentrant, "wrong": wrong_reentrant}[name]
    model = module.Twice(use_reentrant=name == "wrong")
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


class Once(nn.Module):
    """One reentrant checkpoint around one layer."""

    def __init__(self):
        super().__init__()
        self.first, self.inner = nn.Linear(4, 4), nn.Linear(4, 4)
        self.how = {"use_reentrant": True}

    def forward(self, x):
        return checkpoint(self.inner, self.first(x), **self.how)


def once(rank):
    """With find_unused_parameters; without; and not reentrant."""
    found = []
    for unused, reentrant in ((False, True), (True, False), (True, True)):
        ddp = DDP(Once(), find_unused_parameters=unused)
        ddp.module.how["use_reentrant"] = reentrant
        try:
            ddp(data(rank)).sum().backward()
            found.append("")
        except RuntimeError as error:
            found.append(str(error).partition(". ")[0])
    return found


def test_one_checkpoint_and_find_unused():
    """A single reentrant checkpoint raises it too, with that option."""
    text = "Expected to mark a variable ready only once"
    assert run_ranks(once, 2) == [["", "", text]] * 2


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
