"""summation_order.py: the order of addition, recomputed in one process."""

from pathlib import Path

import pytest
import torch
import torch.distributed as dist

import summation_order
from all_reduce_by_hand import ALGORITHMS
from ranks import run_ranks
from summation_order import make_part, own_first_all_reduce


def run_all(rank):
    runs = ALGORITHMS | {"own": own_first_all_reduce, "gloo": dist.all_reduce}
    found = {}
    for name, all_reduce in runs.items():
        found[name] = make_part(rank)
        all_reduce(found[name])
    lines = []
    summation_order.print = lines.append
    summation_order.compare(rank)
    return found, lines


@pytest.fixture(scope="module")
def ranks():
    return run_ranks(run_all, 4)


def in_ring_order(parts):
    """Chunk i is summed as i, i + 1, i + 2, …: it starts on rank i."""
    world_size = len(parts)
    chunks = [part.tensor_split(world_size) for part in parts]
    sums = []
    for i in range(world_size):
        total = chunks[i][i].clone()
        for step in range(1, world_size):
            total = chunks[(i + step) % world_size][i] + total
        sums.append(total)
    return torch.cat(sums)


def test_all_ranks_agree(ranks):
    for name in (*ALGORITHMS, "gloo"):
        for found, _ in ranks[1:]:
            assert torch.equal(found[name], ranks[0][0][name])


@pytest.mark.claim(
    zh="加法次序：主从 ((a+b)+c)+d，树 (a+b)+(c+d)，环的第 i 块从 rank i 加起",
    en="Order of addition: star ((a+b)+c)+d, tree (a+b)+(c+d), the ring's chunk i from rank i on",
    against_zh="在一个进程里按这些次序重算 float32，逐位比较",
    against_en="recomputed in one process in those orders in float32, bit for bit",
    tolerance="0",
)
def test_the_order_of_addition(ranks):
    a, b, c, d = parts = [make_part(rank) for rank in range(4)]
    found = ranks[0][0]
    assert torch.equal(found["star"], ((a + b) + c) + d)
    assert torch.equal(found["everyone"], ((a + b) + c) + d)
    assert torch.equal(found["tree"], (a + b) + (c + d))
    assert torch.equal(found["ring"], in_ring_order(parts))


def test_own_first_makes_the_ranks_differ(ranks):
    parts = [make_part(rank) for rank in range(4)]
    results = [found["own"] for found, _ in ranks]
    for rank, result in enumerate(results):
        total = parts[rank].clone()
        for other in [*range(rank + 1, 4), *range(rank)]:
            total += parts[other]
        assert torch.equal(result, total)
    star = ranks[0][0]["star"]
    assert not torch.equal(results[0], results[1])
    assert max((result != star).sum() for result in results) == 2826


def test_the_numbers_in_the_text(ranks):
    out = Path(summation_order.__file__).with_suffix(".out").read_text()
    assert "\n".join(ranks[0][1]) + "\n" == out
    assert ranks[1][1] == []
    found = ranks[0][0]
    unlike = {n: (found[n] != found["star"]).sum().item() for n in found}
    assert (unlike["tree"], unlike["ring"]) == (1997, 2088)
    exact = sum(make_part(rank).double() for rank in range(4))
    for name, total in found.items():
        error = (total - exact).abs().max()
        assert error < 4.8e-7, name  # two roundings of 2**-22 below 4
        assert error > 1e-7


def two(rank):
    for name, all_reduce in ALGORITHMS.items():
        total = make_part(rank)
        all_reduce(total)
        assert torch.equal(total, make_part(0) + make_part(1)), name


def test_two_ranks_leave_no_choice():
    run_ranks(two, 2)
