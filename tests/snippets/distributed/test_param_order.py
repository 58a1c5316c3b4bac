"""wrong_param_order.py and right_param_order.py: position, not name."""

import functools
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import right_param_order
import wrong_param_order
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_param_order.py",
    "distributed/right_param_order.py",
]


def train(rank, module):
    """What the rank prints, and the error that ends it."""
    lines = []
    module.print_in_turn = lines.append
    group = dist.new_group(timeout=timedelta(seconds=2))  # rank 0 waits in it
    module.DDP = functools.partial(DDP, process_group=group)
    try:
        module.train(rank)
    except RuntimeError as error:
        return lines, str(error)
    return lines, ""


def wrong(rank):
    return train(rank, wrong_param_order)


def right(rank):
    return train(rank, right_param_order)


def another_count(rank):
    model = nn.Sequential(*[nn.Linear(1, 1) for _ in range(rank + 1)])
    with pytest.raises(RuntimeError) as caught:
        DDP(model)
    return str(caught.value)


def test_equal_shapes_are_mixed_and_unequal_raise():
    mixed = f"gradients {(1 + 10) / 2}, {(1 + 10) / 2}"
    zero, one = run_ranks(wrong, 2)
    assert zero[0] == [f"rank 0: a = 1, b = 2, {mixed}"]
    assert zero[1]  # it waits for rank 1
    assert one[0] == [f"rank 1: a = 2, b = 1, {mixed}"]
    assert one[1].rstrip() == (
        "[1]: params[0] in this process with sizes [4] appears not to match "
        "sizes of the same param in process 0."
    )


def test_another_count_raises_on_both_ranks():
    texts = run_ranks(another_count, 2)
    assert "Rank 0 has 2 params, while rank 1 has inconsistent 4 params" in texts[0]
    assert "Rank 1 has 4 params, while rank 0 has inconsistent 2 params" in texts[1]
    for text in texts:
        assert "DDP expects same model across all ranks" in text


def another_dtype(rank):
    DDP(nn.Linear(2, 2).to([torch.float32, torch.float64][rank]))


def test_dtypes_are_not_compared():
    run_ranks(another_dtype, 2)


def test_one_order_everywhere():
    """Registered in one order on every rank: the gradients of a and b
    are 1 and 10.
    """
    assert run_ranks(right, 2) == [
        ([f"rank {rank}: a = 1, b = 2, gradients 1.0, 10.0"], "")
        for rank in (0, 1)
    ]
