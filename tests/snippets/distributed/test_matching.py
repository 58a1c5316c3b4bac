"""The same calls on every rank: their order, and their shapes."""

import os
import warnings
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.distributed.nn.functional
from hypothesis import given, settings
from hypothesis import strategies as st

import right_call_order
import right_gather_shapes
import wrong_call_order
import wrong_gather_shapes
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_call_order.py",
    "distributed/right_call_order.py",
    "distributed/wrong_gather_shapes.py",
    "distributed/right_gather_shapes.py",
]


def lines(rank, name):
    module = {"wrong": wrong_call_order, "right": right_call_order}[name]
    printed = []
    module.print_in_turn = printed.append
    module.sum_metrics(rank)
    return printed


def test_another_order_adds_up_what_does_not_belong_together():
    """all_reduce in another order on one of two ranks: no error, and 2 + 4
    becomes 30.
    """
    assert run_ranks(lines, 2, "wrong") == [
        ["rank 0: {'loss': 30.0, 'correct': 34.0}"],
        ["rank 1: {'loss': 34.0, 'correct': 30.0}"],
    ]


def test_one_order_gives_the_sums():
    """Sorted by name and stacked into one tensor before all_reduce: 6 and 58."""
    want = "{'correct': 58.0, 'loss': 6.0}"
    assert run_ranks(lines, 2, "right") == [[f"rank {r}: {want}"] for r in (0, 1)]


def crash(rank, path):
    """Return what the processes wrote to stderr when they ended."""
    dist.destroy_process_group()
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    with pytest.raises(RuntimeError):
        launch(wrong_gather_shapes.gather_samples, timeout=2, backend="gloo")
    return Path(path).read_text("utf-8", "replace")


def test_another_shape_aborts_the_process(tmp_path):
    """Tensors of different shape in all_gather, without DETAIL: a process aborts
    with gloo::EnforceNotMet.
    """
    (text,) = run_ranks(crash, 1, str(tmp_path / "stderr"))
    assert "gloo::EnforceNotMet" in text
    assert ("Received data size doesn't match expected size. "
            "Is there a distributed collective mismatch in your code?") in text


def with_detail(rank, path):
    dist.destroy_process_group()
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
    launch(wrong_call_order.sum_metrics, timeout=20, backend="gloo")
    launch(wrong_gather_shapes.gather_samples, timeout=20, backend="gloo")
    return Path(path).read_text("utf-8")


@pytest.mark.claim(
    zh="TORCH_DISTRIBUTED_DEBUG=DETAIL：形状不同报 Detected mismatch between collectives on ranks；次序颠倒而形状相同的两个 all_reduce 却查不出",
    en="TORCH_DISTRIBUTED_DEBUG=DETAIL: another shape raises Detected mismatch between collectives on ranks; two all_reduces swapped, of one shape, pass unseen",
    against_zh="两个进程的真实输出",
    against_en="what two processes really print",
    snippets=["distributed/wrong_call_order.py", "distributed/wrong_gather_shapes.py"],
)
def test_detail_sees_shapes_but_not_meaning(tmp_path):
    (text,) = run_ranks(with_detail, 1, str(tmp_path / "stdout"))
    assert "rank 0: {'loss': 30.0, 'correct': 34.0}" in text
    assert text.splitlines()[-1] == (
        "Detected mismatch between collectives on ranks … Tensor Tensor shapes: 2vs 3"
    )


def true_shapes(rank):
    try:
        dist.all_gather([torch.empty(2), torch.empty(3)], torch.ones(2 + rank))
    except RuntimeError as error:
        return str(error)


def test_a_list_of_unequal_tensors_is_refused():
    for rank, error in enumerate(run_ranks(true_shapes, 2)):
        want = ["index 1 (expected (2), got (3))", "index 0 (expected (3), got (2))"][rank]
        assert error == f"ProcessGroupGloo::allgather: invalid tensor size at {want}"


def gather_all(rank, lengths):
    x = torch.arange(float(lengths[rank])) + 100 * rank
    return right_gather_shapes.gather_unequal(x)


@settings(max_examples=3, deadline=None)
@given(lengths=st.lists(st.integers(0, 5), min_size=2, max_size=3))
def test_vectors_of_unequal_length_arrive_whole(lengths):
    """Pad, gather, cut: vectors of unequal length, empty ones too, arrive whole
    on every rank.
    """
    want = [torch.arange(float(n)) + 100 * r for r, n in enumerate(lengths)]
    for got in run_ranks(gather_all, len(lengths), lengths):
        assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))


def gather_rows(rank):
    return right_gather_shapes.gather_unequal(torch.full((1 + rank, 2), rank + 1.0))


def test_rows_as_well_as_numbers():
    for pieces in run_ranks(gather_rows, 2):
        assert [p.tolist() for p in pieces] == [[[1, 1]], [[2, 2], [2, 2]]]


def with_gradient(rank):
    """Which all_gather lets a gradient through, and what it is."""
    x = torch.full((2,), rank + 1.0, requires_grad=True)
    plain = right_gather_shapes.gather_unequal(x)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pieces = torch.distributed.nn.functional.all_gather(x)
    (pieces[0] * pieces[1]).sum().backward()
    deprecated = any("all_gather is deprecated" in str(w.message) for w in caught)
    return any(p.requires_grad for p in plain), x.grad.tolist(), deprecated


def test_only_the_functional_one_carries_gradients():
    """Both ranks compute x0 x1, so x0's gradient is 2 x1, x1's 2 x0."""
    assert run_ranks(with_gradient, 2) == [(False, [4, 4], True), (False, [2, 2], True)]
