"""buffers.py against the recursion by hand; when a forward waits."""

import warnings
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import buffers
from ranks import run_ranks


def synchronised(rank):
    return buffers.running_means(rank, forward_sync_buffers=True)


def local(rank):
    return buffers.running_means(rank, forward_sync_buffers=False)


def by_hand(rank, sync, steps=4):
    """running = (running + batch mean) / 2, from rank 0's value or one's own."""
    own, zero, pairs = 0.0, 0.0, []
    for _ in range(steps):
        found = zero if sync else own
        own = (found + 4 * (rank + 1)) / 2
        zero = (zero + 4) / 2
        pairs.append((found, own))
    return pairs


def what_all_warn(rank, *cases):
    return [what_warns(rank, options) for options in cases]


def what_warns(rank, options):
    """The warnings of DDP(…), and the buffer that rank 1 starts from."""
    norm = nn.BatchNorm1d(1)
    norm.running_mean.fill_(rank + 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ddp = DDP(norm, **options)
    texts = [(w.category.__name__, str(w.message)) for w in caught]
    return norm.running_mean.item(), texts, ddp.forward_sync_buffers


def forward_alone(rank, kind):
    """Only rank 1 calls forward three times; how many came back?"""
    group = dist.new_group(timeout=timedelta(seconds=1))
    module = nn.Linear(1, 1) if kind == "no buffers" else nn.BatchNorm1d(1)
    options = {"forward_sync_buffers": False} if kind == "not synced" else {}
    ddp = DDP(module, process_group=group, **options)
    return count_forwards(ddp, rank)


def second_step_alone(rank):
    """The forward after the first backward rebuilds the buckets."""
    group = dist.new_group(timeout=timedelta(seconds=1))
    ddp = DDP(nn.Linear(1, 1), process_group=group)
    ddp(torch.ones(3, 1)).sum().backward()
    return count_forwards(ddp, rank)


def count_forwards(ddp, rank):
    done = 0
    try:
        for _ in range(3 if rank == 1 else 0):
            ddp(torch.ones(3, 1))
            done += 1
    except RuntimeError as error:
        return done, str(error)
    return done, ""


def after_no_sync_or_no_grad(rank):
    """The running mean as each forward finds it; the batches as ever."""
    norm = nn.BatchNorm1d(1, momentum=0.5)
    ddp, found = DDP(norm), []
    norm.register_forward_pre_hook(
        lambda *_: found.append(norm.running_mean.item())
    )
    x = torch.tensor([[-1.0], [1.0]]) + 4 * rank + 4
    ddp(x).sum().backward()
    with ddp.no_sync():
        for _ in range(3):
            ddp(x).sum().backward()
    for _ in range(2):
        ddp(x).sum().backward()
    with torch.no_grad():
        for _ in range(3):
            ddp(x)
    for _ in range(2):
        ddp(x).sum().backward()
    return found


def replaced_after_wrapping(rank):
    """New buffer objects after wrapping; are they still overwritten?"""
    norm = nn.BatchNorm1d(1)
    ddp = DDP(norm).eval()
    before = norm.running_mean
    ddp._apply(torch.clone)
    norm.running_mean.fill_(rank + 1)
    ddp(torch.ones(2, 1))
    return norm.running_mean is before, norm.running_mean.item()


def printed(rank):
    lines = []
    buffers.print_in_turn = lines.append
    buffers.main(rank)
    return lines


@pytest.mark.claim(
    zh="前向之前，rank 0 的缓冲区覆盖其他 rank 的：BatchNorm 的统计量只跟着 rank 0 的数据走（趋向 4，总体均值是 6）",
    en="Before a forward rank 0's buffers overwrite the others': BatchNorm's statistics follow rank 0's data alone (towards 4; the mean of all data is 6)",
    against_zh="手算的递推",
    against_en="the recursion by hand",
    tolerance="0",
)
def test_rank_0_s_buffers_overwrite():
    for rank, pairs in enumerate(run_ranks(synchronised, 3)):
        assert pairs == by_hand(rank, True)
        assert [found for found, _ in pairs] == [0, 2, 3, 3.5]


def test_after_no_sync_or_no_grad_nothing_is_broadcast():
    """Only if the last forward was a normal one do the ranks agree."""
    zero, one = run_ranks(after_no_sync_or_no_grad, 2)
    assert zero[:6] == [0, 2, 3, 3.5, 3.75, 3.875]
    assert one[:6] == [0, 2, 5, 6.5, 7.25, 3.875]
    agree = [a == b for a, b in zip(zero, one, strict=True)]
    assert agree[6:] == [True, False, False, False, True]


def test_without_it_statistics_differ_by_rank():
    """forward_sync_buffers=False: BatchNorm statistics differ by rank
    (3.75 and 7.5 after four steps).
    """
    answers = run_ranks(local, 3)
    for rank, pairs in enumerate(answers):
        assert pairs == by_hand(rank, False)
    assert [pairs[-1][1] for pairs in answers][:2] == [3.75, 7.5]


def test_what_is_deprecated():
    both = {"broadcast_buffers": True, "forward_sync_buffers": False}
    old, new = {"broadcast_buffers": False}, {"forward_sync_buffers": False}
    cases = (old, new, both, {"broadcast_buffers": True}, {})
    old, new, both, true, default = run_ranks(what_all_warn, 2, *cases)[1]
    mean, caught, sync = old
    assert (mean, sync) == (2.0, False)
    assert caught[0][0] == "FutureWarning"
    assert "`broadcast_buffers` is deprecated. Use `forward_sync_buffers`" in caught[0][1]
    assert new == (1.0, [], False)
    mean, caught, sync = both
    assert (mean, sync) == (1.0, False)
    assert "its value is ignored" in caught[0][1]
    mean, caught, sync = true
    assert (mean, len(caught), sync) == (1.0, 1, True)
    assert default == (1.0, [], True)
    assert ".. deprecated:: 2.13" in DDP.__doc__


def test_a_forward_waits_only_for_buffers():
    for kind in ("no buffers", "not synced"):
        assert run_ranks(forward_alone, 2, kind)[1] == (3, "")
    done, error = run_ranks(forward_alone, 2, "buffers")[1]
    assert done == 0
    assert "Timed out waiting 1000ms" in error or "timeout caused pair closure" in error


def test_the_forward_that_rebuilds_buckets_waits():
    """The one exception: the forward after the first backward rebuilds
    the buckets, and waits.
    """
    done, error = run_ranks(second_step_alone, 2)[1]
    assert done == 0
    assert "Timed out waiting 1000ms for recv operation" in error


def test_buffers_replaced_after_wrapping_are_still_synced():
    assert run_ranks(replaced_after_wrapping, 2) == [(False, 1.0)] * 2


def test_the_shown_lines():
    answers = run_ranks(printed, 2)
    for rank, lines in enumerate(answers):
        for line, sync in zip(lines, (True, False), strict=True):
            steps = "  ".join(f"{a:.2f} -> {b:.2f}" for a, b in by_hand(rank, sync))
            assert line == f"sync {sync!s:5} rank {rank}: {steps}"
