"""bucket_count.py against buckets filled by hand."""

import inspect

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import bucket_count
from ranks import run_ranks

MIB = 2**20


def by_hand(first, others):
    """Fill buckets in the order gradients arrive: a bias, then its weight."""
    buckets, filled = 0, 0
    for size in [256 * 4, 256 * 256 * 4] * 8:
        filled += size
        if filled >= (others if buckets else first):
            buckets, filled = buckets + 1, 0
    return buckets + (filled > 0)


def counts(rank, *cases):
    torch.manual_seed(0)
    return [bucket_count.count_buckets(**options) for options in cases]


def another_name(rank):
    def hook(state, b):
        return None

    with pytest.raises(KeyError, match="bucket"):
        DDP(nn.Linear(1, 1)).register_comm_hook(None, hook)


def printed(rank):
    lines = []
    bucket_count.print = lambda text, flush: lines.append(text)
    bucket_count.main(rank)
    return lines


@pytest.mark.claim(
    zh="2 MiB 的模型从第 1 步起的桶数：默认 2，bucket_cap_mb=0.5 时 4，1e-6 时 16；第 0 步总是 1",
    en="Buckets of a 2 MiB model from step 1 on: 2 by default, 4 with bucket_cap_mb=0.5, 16 with 1e-6; always 1 in step 0",
    against_zh="手工按梯度到达的次序装桶（首桶 1 MiB，其余 25 MiB，或给定的上限）",
    against_en="buckets filled by hand in the order gradients arrive (1 MiB first, then 25 MiB, or the given cap)",
    tolerance="0",
)
@pytest.mark.parametrize("world_size", [1, 2])
def test_buckets_after_the_first_step(world_size):
    caps = ({}, {"bucket_cap_mb": 0.5}, {"bucket_cap_mb": 1e-6})
    expected = [by_hand(MIB, 25 * MIB), by_hand(MIB / 2, MIB / 2), by_hand(1, 1)]
    assert expected == [2, 4, 16]
    for answer in run_ranks(counts, world_size, *caps):
        assert answer == [[1, n, n] for n in expected]


def test_options_change_when_buckets_are_built():
    """static_graph rebuilds one step later (1, 1, 4);
    find_unused_parameters has buckets from step 0 and never rebuilds
    (5, 5, 5).
    """
    half = {"bucket_cap_mb": 0.5}
    filled, by_registration = 0, 0  # a weight, then its bias; the rest is one
    for size in [256 * 256 * 4, 256 * 4] * 8:
        filled += size
        if filled >= MIB / 2:
            by_registration, filled = by_registration + 1, 0
    assert (by_registration + 1, filled) == (5, 256 * 4)
    cases = (
        {**half, "static_graph": True},
        {**half, "find_unused_parameters": True},
    )
    assert run_ranks(counts, 2, *cases) == [[[1, 1, 4], [5, 5, 5]]] * 2


def two_dtypes(rank):
    """One bucket a dtype, from step 0 on."""

    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4).double()

        def forward(self, x):
            return self.b(self.a(x).double())

    bucket_count.make_model = Mixed
    bucket_count.torch.ones = lambda *size, device: torch.zeros(2, 4)
    return bucket_count.count_buckets()


def test_a_cap_that_is_given_also_holds_for_the_first_bucket():
    """25 MiB is the default for the others only: given, one bucket is left."""
    answers = run_ranks(counts, 2, {"bucket_cap_mb": 25}, {"bucket_cap_mb": 1})
    assert answers == [[[1, 1, 1], [1, 2, 2]]] * 2


def test_buckets_do_not_mix_dtypes():
    assert run_ranks(two_dtypes, 2) == [[2, 2, 2]] * 2


def test_the_hook_needs_the_name_bucket():
    run_ranks(another_name, 1)


def test_the_default_sizes():
    assert dist._DEFAULT_FIRST_BUCKET_BYTES == MIB
    assert "default size of 25 MiB" in inspect.getdoc(DDP)


def model(rank):
    model = bucket_count.make_model()
    return [(name, p.numel() * 4) for name, p in model.named_parameters()]


def test_the_model():
    (sizes,) = run_ranks(model, 1)
    assert len(sizes) == 16
    assert round(sum(size for _, size in sizes) / MIB, 2) == 2.01


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert [line[19:] for line in lines] == [
        "[1, 2, 2]",
        "[1, 4, 4]",
        "[1, 16, 16]",
        "[1, 1, 4]",
        "[5, 5, 5]",
    ]
