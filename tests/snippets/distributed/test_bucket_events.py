"""bucket_events.py: the order follows from the order of the calls."""

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import bucket_events
from ranks import run_ranks

ARRIVAL = "dafbec"[::-1]  # backward goes through the calls in reverse


def record(rank, steps=3, **options):
    return bucket_events.record(steps, **options)


def record_unused(rank):
    return bucket_events.record(2, find_unused_parameters=True)


def another_order_on_rank_1(rank):
    if rank == 1:
        def backwards(self, x):
            for name in "cebfad":
                x = getattr(self, name)(x)
            return x

        bucket_events.Shuffled.forward = backwards
    return bucket_events.record(2)[1]


def futures_at_the_end(rank):
    """Are all all-reduces over when backward() returns?"""
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
        allreduce_hook,
    )

    ddp, futures = DDP(nn.Linear(8, 8), bucket_cap_mb=1e-6), []

    def hook(state, bucket):
        futures.append(allreduce_hook(None, bucket))
        return futures[-1]

    ddp.register_comm_hook(None, hook)
    for _ in range(2):
        ddp(torch.ones(2, 8)).sum().backward()
    return len(futures), all(future.done() for future in futures)


def printed(rank):
    lines = []
    bucket_events.print = lambda text, flush=False: lines.append(text)
    bucket_events.main(rank)
    return lines


@pytest.mark.claim(
    zh="从第 1 步起，桶按梯度到达的次序重建：最后一个梯度一到就开始 all-reduce，不等前面的层",
    en="From step 1 on buckets follow the order in which gradients arrived; each starts its all-reduce at its last gradient, not at the end",
    against_zh="由调用次序手工推出的事件表，两个 rank",
    against_en="the list of events worked out from the order of the calls, two ranks",
    tolerance="0",
)
def test_buckets_start_as_soon_as_they_are_full():
    pairs = [ARRIVAL[i : i + 2] for i in range(0, 6, 2)]
    later = " ".join(f"{a} {b} [{a} {b}]" for a, b in pairs)
    for steps in run_ranks(record, 2):
        assert steps[0] == " ".join(ARRIVAL) + " [a b c d e f]"
        assert steps[1:] == [later, later]


def test_find_unused_keeps_the_order_of_registration():
    """A bucket starts when it is full and all the earlier ones have started."""
    buckets, seen, expected, started = ["ef", "cd", "ab"], set(), [], 0
    for gradient in ARRIVAL:
        expected.append(gradient)
        seen.add(gradient)
        while started < 3 and set(buckets[started]) <= seen:
            expected.append(f"[{' '.join(buckets[started])}]")
            started += 1
    steps = run_ranks(record_unused, 2)
    assert steps == [[" ".join(expected)] * 2] * 2


def test_rank_0_decides_the_order():
    """The rebuilt order is rank 0's; the other ranks follow it."""
    zero, one = run_ranks(another_order_on_rank_1, 2)
    buckets = ["[c e]", "[b f]", "[a d]"]
    for events in (zero, one):
        found = [f"[{part.partition(']')[0]}]" for part in events.split("[")[1:]]
        assert found == buckets
    # Rank 1's gradients arrive from d to c: its first bucket waits to the end.
    assert one == "d a f b e c [c e] [b f] [a d]"


def test_backward_returns_when_all_is_averaged():
    assert run_ranks(futures_at_the_end, 2) == [(3, True)] * 2


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert lines[0].split()[1:] == list("abcdef")
    assert lines[1].split()[1:] == list("dafbec")
    assert lines[2].endswith("c e b f a d [a b c d e f]")
    assert lines[3].endswith("  c e [c e] b f [b f] a d [a d]")
    assert lines[4].endswith("  c e b f [e f] a d [c d] [a b]")
