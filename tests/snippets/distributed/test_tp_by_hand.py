"""tp_by_hand.py, tp_dtensor.py and the bias pair, against NumPy."""

import functools

import numpy as np
import pytest
import torch
from scipy.special import erf
from torch.distributed.tensor.debug import CommDebugMode

import right_tp_bias
import tp_by_hand
import tp_dtensor
import wrong_tp_bias
from ranks import run_ranks

SNIPPETS = [
    "distributed/tp_by_hand.py",
    "distributed/tp_dtensor.py",
    "distributed/wrong_tp_bias.py",
    "distributed/right_tp_bias.py",
]


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2))) / 2


def mlp(x, w1, b1, w2, b2):
    return gelu(x @ w1.T + b1) @ w2.T + b2


def calls(comm):
    return {op.__name__: n for op, n in comm.get_comm_counts().items()}


def by_hand(rank):
    """Both halves and the MLP, with the weights each used and the calls."""
    weights, x = tp_by_hand.make_mlp()
    used = []
    linear = tp_by_hand.linear

    def recorded(x, w, b=None):
        used.append([tuple(w.shape), None if b is None else tuple(b.shape)])
        return linear(x, w, b)

    tp_by_hand.linear = recorded
    with CommDebugMode() as comm:
        y = tp_by_hand.split_mlp(x, *weights)
    counts, shapes = calls(comm), list(used)
    whole = tp_by_hand.whole_mlp(x, *weights)
    w1, b1, w2, b2 = weights
    column = tp_by_hand.column_linear(x, w1, b1)
    row = tp_by_hand.row_linear(column, w2, b2)
    arrays = [t.numpy() for t in (*weights, x, y, whole, column, row)]
    printed = []
    tp_by_hand.print = lambda text, **_: printed.append(text)
    tp_by_hand.compare(rank)
    return arrays, shapes, counts, printed


def with_dtensor(rank):
    model = tp_dtensor.parallel_mlp()
    whole = [p.detach().numpy() for p in tp_dtensor.make_model().parameters()]
    local = [p.to_local().detach().numpy() for p in model.parameters()]
    x = torch.arange(12.0, dtype=torch.float64).view(3, 4) / 7 - 1
    with torch.no_grad(), CommDebugMode() as comm:
        y = model(x)
    printed = []
    tp_dtensor.print = lambda text, **_: printed.append(text)
    tp_dtensor.compare(rank)
    return whole, local, x.numpy(), y.numpy(), calls(comm), printed


def biased(rank, module):
    printed = []
    module.print = lambda text, **_: printed.append(text)
    module.run(rank)
    return printed


def both(rank):
    return biased(rank, wrong_tp_bias) + biased(rank, right_tp_bias)


@functools.cache
def hand(world_size):
    return run_ranks(by_hand, world_size)


@pytest.mark.claim(
    zh="手工切开的 MLP（先列后行）与不切的输出相同（W = 2、4）",
    en="The MLP split by hand, columns then rows, has the output of the whole one (W = 2, 4)",
    against_zh="NumPy，用完整的权重",
    against_en="NumPy, from the whole weights",
    tolerance="1e-14",
    snippets=["distributed/tp_by_hand.py"],
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_split_by_hand(world_size):
    for rank, (arrays, *_, printed) in enumerate(hand(world_size)):
        w1, b1, w2, b2, x, y, whole, column, row = arrays
        expected = mlp(x, w1, b1, w2, b2)
        for ours, right in [
            (y, expected),
            (whole, expected),
            (column, x @ w1.T + b1),
            (row, (x @ w1.T + b1) @ w2.T + b2),
        ]:
            np.testing.assert_allclose(ours, right, rtol=0, atol=1e-14)
        text = f"{world_size} ranks, 1/{world_size} of both weights on each"
        shown = [text, "same output to 1e-14: True"]
        assert printed == (shown if rank == 0 else [])


@pytest.mark.parametrize("world_size", [2, 4])
def test_one_all_reduce(world_size):
    part = 8 // world_size
    for _, shapes, counts, _ in hand(world_size):
        assert shapes == [[(part, 4), (part,)], [(4, part), None]]
        assert counts == {"allreduce_": 1}


def test_rows_first_would_need_two():
    (arrays, *_), _ = hand(2)
    w1, x = arrays[0], arrays[4]
    terms = [x[:, half] @ w1[:, half].T for half in (slice(2), slice(2, 4))]
    assert np.abs(gelu(terms[0]) + gelu(terms[1]) - gelu(sum(terms))).max() > 0.1
    a, b = (gelu(x @ part.T) for part in np.split(w1, 2))
    both = np.concatenate([a, b], 1)
    np.testing.assert_allclose(both, gelu(x @ w1.T), atol=1e-14)


@pytest.mark.claim(
    zh="parallelize_module 切出的是同样的块，输出相同，也只通信一次 all-reduce",
    en="parallelize_module cuts the same slices, has the same output, and also needs one all-reduce",
    against_zh="NumPy 切片与 NumPy 的 MLP；CommDebugMode 计数（W = 2、4）",
    against_en="slices and MLP in NumPy; the count of CommDebugMode (W = 2, 4)",
    tolerance="1e-14",
    snippets=["distributed/tp_dtensor.py"],
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_dtensor_does_the_same(world_size):
    answers = run_ranks(with_dtensor, world_size)
    for rank, (whole, local, x, y, counts, printed) in enumerate(answers):
        w1, b1, w2, b2 = whole
        slices = [
            np.split(w1, world_size)[rank],
            np.split(b1, world_size)[rank],
            np.split(w2, world_size, axis=1)[rank],
            b2,
        ]
        for ours, right in zip(local, slices, strict=True):
            np.testing.assert_array_equal(ours, right)
        np.testing.assert_allclose(y, mlp(x, *whole), rtol=0, atol=1e-14)
        assert counts == {"all_reduce": 1}
        if world_size == 2 and rank == 0:
            assert printed == [
                "0.weight: (8, 4) → (4, 4) S(0)",
                "0.bias: (8,) → (4,) S(0)",
                "2.weight: (4, 8) → (4, 4) S(1)",
                "2.bias: (4,) → (4,) R",
                "communication: {'all_reduce': 1}",
                "same output to 1e-14: True",
            ]
        assert rank == 0 or printed == []


@pytest.mark.parametrize("world_size", [2, 4])
def test_the_bias_is_added_by_each_rank_or_once(world_size):
    error = (world_size - 1) * 0.5
    printed = [f"W = {world_size}: off by {off}" for off in (error, 0.0)]
    assert run_ranks(both, world_size) == [printed] + [[]] * (world_size - 1)


def test_the_ranks_hold_the_same_result():
    first, *others = hand(4)
    for other in others:
        np.testing.assert_array_equal(other[0][5], first[0][5])
