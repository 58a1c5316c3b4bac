"""wrong_matching.py and right_matching.py: the same calls on every rank."""

import os
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st

import right_matching
import wrong_matching
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_matching.py",
    "distributed/right_matching.py",
]


def lines(rank, name):
    module = {"wrong": wrong_matching, "right": right_matching}[name]
    printed = []
    module.print_in_turn = printed.append
    module.sum_metrics(rank)
    return printed


@pytest.mark.claim(
    zh="两个 rank 以不同的次序 all_reduce：不报错，2 + 4 成了 30",
    en="all_reduce in another order on one of two ranks: no error, and 2 + 4 becomes 30",
    against_zh="手算：loss 6、correct 58",
    against_en="by hand: loss 6, correct 58",
    tolerance="0",
    snippets=["distributed/wrong_matching.py"],
)
def test_another_order_adds_up_what_does_not_belong_together():
    assert run_ranks(lines, 2, "wrong") == [
        ["rank 0: {'loss': 30.0, 'correct': 34.0}"],
        ["rank 1: {'loss': 34.0, 'correct': 30.0}"],
    ]


@pytest.mark.claim(
    zh="按名字排序、拼成一个张量再 all_reduce：6 与 58",
    en="Sorted by name and stacked into one tensor before all_reduce: 6 and 58",
    against_zh="手算 2 + 4、30 + 28",
    against_en="by hand: 2 + 4, 30 + 28",
    tolerance="0",
    snippets=["distributed/right_matching.py"],
)
def test_one_order_gives_the_sums():
    want = "{'correct': 58.0, 'loss': 6.0}"
    assert run_ranks(lines, 2, "right") == [[f"rank {r}: {want}"] for r in (0, 1)]


def crash(rank, path):
    """Return what the processes wrote to stderr when they ended."""
    dist.destroy_process_group()
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    with pytest.raises(RuntimeError):
        launch(wrong_matching.gather_samples, timeout=2, backend="gloo")
    return Path(path).read_text("utf-8", "replace")


@pytest.mark.claim(
    zh="all_gather 的张量形状不同，又没有开 DETAIL：进程以 gloo::EnforceNotMet 中止",
    en="Tensors of different shape in all_gather, without DETAIL: a process aborts with gloo::EnforceNotMet",
    against_zh="两个进程的 stderr",
    against_en="the stderr of two processes",
    snippets=["distributed/wrong_matching.py"],
)
def test_another_shape_aborts_the_process(tmp_path):
    (text,) = run_ranks(crash, 1, str(tmp_path / "stderr"))
    assert "gloo::EnforceNotMet" in text
    assert ("Received data size doesn't match expected size. "
            "Is there a distributed collective mismatch in your code?") in text


def with_detail(rank, path):
    dist.destroy_process_group()
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
    launch(wrong_matching.main, timeout=20, backend="gloo")
    return Path(path).read_text("utf-8")


@pytest.mark.claim(
    zh="TORCH_DISTRIBUTED_DEBUG=DETAIL：形状不同报 Detected mismatch between collectives on ranks；次序颠倒而形状相同的两个 all_reduce 却查不出",
    en="TORCH_DISTRIBUTED_DEBUG=DETAIL: another shape raises Detected mismatch between collectives on ranks; two all_reduces swapped, of one shape, pass unseen",
    against_zh="两个进程的真实输出",
    against_en="what two processes really print",
    snippets=["distributed/wrong_matching.py"],
)
def test_detail_sees_shapes_but_not_meaning(tmp_path):
    (text,) = run_ranks(with_detail, 1, str(tmp_path / "stdout"))
    assert "rank 0: {'loss': 30.0, 'correct': 34.0}" in text
    assert "Detected mismatch between collectives on ranks. Rank 0 is running" in text
    assert "Tensor Tensor shapes: 2vs 3" in text


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
    return right_matching.gather_unequal(x)


@pytest.mark.claim(
    zh="补齐再截断：长度不同的向量（空的也行）在每个 rank 上原样收齐",
    en="Pad, gather, cut: vectors of unequal length, empty ones too, arrive whole on every rank",
    against_zh="随机长度，与未经通信的原向量逐位比较",
    against_en="random lengths, compared bit for bit with the vectors themselves",
    tolerance="0",
    snippets=["distributed/right_matching.py"],
)
@settings(max_examples=4, deadline=None)
@given(lengths=st.lists(st.integers(0, 5), min_size=2, max_size=3))
def test_vectors_of_unequal_length_arrive_whole(lengths):
    want = [torch.arange(float(n)) + 100 * r for r, n in enumerate(lengths)]
    for got in run_ranks(gather_all, len(lengths), lengths):
        assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))
