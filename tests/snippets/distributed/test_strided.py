"""wrong_strided.py and right_strided.py: a column in gloo's all_reduce."""

import pytest
import torch
import torch.distributed as dist

import right_strided
import wrong_strided
from ranks import run_ranks

SNIPPETS = ["distributed/wrong_strided.py", "distributed/right_strided.py"]
MENDED = "gloo treats strides otherwise now: rewrite all-reduce.md#strided"


def printed(rank, right):
    lines = []
    module = right_strided if right else wrong_strided
    module.print = lines.append
    module.sum_first_column(rank)
    return lines


@pytest.mark.claim(
    zh="gloo 的 all_reduce 遇到取列得到的张量不报错，却把内存里相邻的数加了起来",
    en="Given a column, gloo's all_reduce raises nothing and sums the numbers that lie side by side",
    against_zh="两个进程，手算的结果",
    against_en="two processes, the result by hand",
    snippets=["distributed/wrong_strided.py"],
)
def test_a_column_is_taken_for_what_lies_side_by_side():
    should = "should be [[2, 2], [6, 4], [10, 6]]\n"
    shown = run_ranks(printed, 2, False)
    assert shown == [[should + "is [[2, 4], [6, 4], [5, 6]]"], []], MENDED


def test_a_copy_that_is_written_back():
    should = "should be [[2, 2], [6, 4], [10, 6]]\n"
    shown = run_ranks(printed, 2, True)
    assert shown == [[should + "is [[2, 2], [6, 4], [10, 6]]"], []]


def send_a_column(rank):
    column = torch.zeros(4, 2)[:, 0]
    with pytest.raises(RuntimeError, match="has to be contiguous"):
        dist.send(column, 1 - rank)


def test_send_refuses_a_column():
    run_ranks(send_a_column, 2)


def transposed(rank):
    """Dense, only in another order: summed right."""
    table = torch.arange(6).view(2, 3)
    dist.all_reduce(table.t())
    return table.tolist()


def test_a_transposed_tensor_is_summed_right():
    assert run_ranks(transposed, 2) == [[[0, 2, 4], [6, 8, 10]]] * 2


def flattened(rank):
    """reshape(-1) of a transpose is a copy: its sum is lost, in silence."""
    table = torch.arange(6).view(2, 3).t()
    dist.all_reduce(table.reshape(-1))
    return table.t().tolist()


def test_reshape_loses_the_sum():
    assert run_ranks(flattened, 2) == [[[0, 1, 2], [3, 4, 5]]] * 2
