"""wrong_unused.py and right_unused.py: parameters that a step leaves out."""

import os

import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

import right_unused
import wrong_unused
from ranks import run_ranks

SNIPPETS = ["distributed/wrong_unused.py", "distributed/right_unused.py"]


def train(rank, module):
    """Return the error, or None, and how many steps passed."""
    passed = []
    module.print = lambda text, flush: passed.append(text)
    try:
        module.train(rank)
    except RuntimeError as error:
        return str(error), passed
    return None, passed


def wrong(rank):
    return train(rank, wrong_unused)


def right(rank):
    return train(rank, right_unused)


def wrong_with_body_frozen(rank):
    class Frozen(wrong_unused.TwoHeads):
        def __init__(self):
            super().__init__()
            self.body.requires_grad_(False)

    wrong_unused.TwoHeads = Frozen
    return train(rank, wrong_unused)


def wrong_with_debug(rank):
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "INFO"
    dist.set_debug_level_from_env()  # torch reads it when it is imported
    return train(rank, wrong_unused)


def gradients(rank, find_unused_parameters):
    """The head's gradient from data that differ by rank, after one step."""
    torch.manual_seed(0)
    model = wrong_unused.TwoHeads()
    ddp = DDP(model, find_unused_parameters=find_unused_parameters)
    ddp(torch.ones(2, 4) * (rank + 1)).sum().backward()
    return model.head.weight.grad, model.spare.weight.grad


@pytest.mark.claim(
    zh="有参数没参与损失：第 0 步通过，第 1 步报 Expected to have finished reduction",
    en="A parameter without a part in the loss: step 0 passes, step 1 raises Expected to have finished reduction",
    against_zh="两个 rank 上的真实报错",
    against_en="the error itself on two ranks",
    snippets=["distributed/wrong_unused.py"],
)
@pytest.mark.parametrize("world_size", [1, 2])
def test_the_second_step_fails(world_size):
    for rank, (error, passed) in enumerate(run_ranks(wrong, world_size)):
        assert passed == ["step 0 passed"]
        assert error.startswith(
            "Expected to have finished reduction in the prior iteration "
            "before starting a new one."
        )
        assert f"did not receive grad for rank {rank}: 4 5" in error


@pytest.mark.claim(
    zh="报错里的编号只数 requires_grad=True 的参数：冻结 body 之后，4 5 变成 2 3",
    en="The numbers in the message count only parameters with requires_grad=True: freeze body, and 4 5 becomes 2 3",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_unused.py"],
)
def test_frozen_parameters_are_not_counted():
    ((error, _),) = run_ranks(wrong_with_body_frozen, 1)
    assert "did not receive grad for rank 0: 2 3\n" in error


@pytest.mark.claim(
    zh="TORCH_DISTRIBUTED_DEBUG=INFO：报错里有参数名 spare.bias, spare.weight",
    en="TORCH_DISTRIBUTED_DEBUG=INFO: the message names spare.bias, spare.weight",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_unused.py"],
)
def test_debug_names_the_parameters():
    ((error, _),) = run_ranks(wrong_with_debug, 1)
    assert "grad for rank 0: spare.bias, spare.weight" in error


@pytest.mark.claim(
    zh="第 0 步“通过”时，各 rank 的梯度并没有同步；加上 find_unused_parameters=True 就同步了",
    en="When step 0 passes, gradients are not synchronised; with find_unused_parameters=True they are",
    against_zh="两个 rank 的梯度逐位比较",
    against_en="the two ranks' gradients compared bit for bit",
    tolerance="0",
)
def test_the_first_step_only_seems_right():
    (a, _), (b, _) = run_ranks(gradients, 2, False)
    assert not torch.equal(a, b)
    (mean, spare), (other, _) = run_ranks(gradients, 2, True)
    assert torch.equal(mean, other)
    torch.testing.assert_close(mean, (a + b) / 2)
    assert spare is None or not spare.any()


@pytest.mark.claim(
    zh="find_unused_parameters=True：每一步都通过",
    en="find_unused_parameters=True: every step passes",
    against_zh="两个 rank",
    against_en="two ranks",
    snippets=["distributed/right_unused.py"],
)
def test_every_step_passes():
    assert (
        run_ranks(right, 2) == [(None, ["step 0 passed", "step 1 passed"])] * 2
    )
