"""late_rank.py: the order of events follows from who waits for whom."""

import inspect
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

import late_rank
from ranks import run_ranks

ORDER = [
    "rank 0: forward is over",
    "rank 0: gradient computed",
    "rank 1: forward is over",
    "rank 1: gradient computed",
    "rank 0: backward is over",
    "rank 1: backward is over",
]
LIMIT = "Timed out waiting 2000ms for recv operation to complete"


def events(rank, folder):
    store = dist.FileStore(f"{folder}/events", dist.get_world_size())
    return late_rank.late(rank, store)


def limited(rank):
    return late_rank.limited(rank)


def printed(rank):
    lines = []
    late_rank.print = lambda *words, flush=False: lines.append(" ".join(map(str, words)))
    late_rank.main(rank)
    return lines


@pytest.mark.claim(
    zh="rank 1 晚到：rank 0 的前向不等它，本地梯度也算完，然后在 backward() 里等到它的梯度",
    en="Rank 1 is late: rank 0's forward does not wait, nor does its own gradient; then backward() waits for rank 1's",
    against_zh="由等待关系推出的次序；两个 rank 的事件由同一个 store 编号",
    against_en="the order that follows from who waits for whom; one store numbers both ranks' events",
    tolerance="0",
)
def test_backward_waits_for_the_late_rank(tmp_path):
    both = sum(run_ranks(events, 2, str(tmp_path)), [])
    assert [event for _, event in sorted(both)] == ORDER
    assert sorted(number for number, _ in both) == [1, 2, 3, 4, 5, 6]


def test_the_group_s_timeout_is_the_limit():
    """DDP's limit is the timeout of its group: in a group of 2 s whose other
    rank never comes, backward() raises Timed out waiting 2000ms.
    """
    assert run_ranks(limited, 2) == [LIMIT, None]


def alone(rank):
    """With ddp(x) in place of ddp.module(x), rank 0 would wait for rank 1."""
    x = torch.arange(4.0).view(4, 1)
    return late_rank.validate(rank, x)


def test_rank_0_validates_alone():
    """A fresh batch norm in eval mode divides by sqrt(1 + eps)."""
    loss, nothing = run_ranks(alone, 2)
    assert loss == pytest.approx((0 + 1 + 4 + 9) / 4 / (1 + 1e-5), rel=1e-6)
    assert nothing is None


def test_the_defaults_of_this_torch():
    """DDP has none of its own. NCCL's: see test_nccl_waits_ten_minutes."""
    assert "timeout" not in inspect.signature(late_rank.DDP).parameters
    assert dist.constants.default_pg_timeout == timedelta(minutes=30)
    if not dist.is_nccl_available():
        assert dist.constants.default_pg_nccl_timeout is None


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert lines[:6] == [f"{i} {event}" for i, event in enumerate(ORDER, 1)]
    assert lines[6:] == ["rank 0 validates alone: loss 1.00", f"limit of 2 s: {LIMIT}"]
