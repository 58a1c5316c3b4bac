"""ring_all_reduce.py and all_reduce_by_hand.py, between real processes."""

import sys
import warnings
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

import all_reduce_by_hand
import ring_all_reduce as ring
from all_reduce_by_hand import ALGORITHMS
from process import run
from ranks import run_ranks

SNIPPETS = [
    "distributed/ring_all_reduce.py",
    "distributed/all_reduce_by_hand.py",
]
WORLDS = [1, 2, 3, 4, 5]
SHAPES = [(0,), (1,), (2,), (3,), (7,), (12,), (1001,), (), (2, 3, 5), (2, 0)]
ATOL = {torch.float32: 2e-6, torch.int64: 0}


def part(rank, shape, dtype, seed=0):
    gen = torch.Generator().manual_seed(1000 * seed + rank)
    if dtype == torch.int64:
        return torch.randint(-(2**40), 2**40, shape, generator=gen)
    return torch.randn(shape, generator=gen, dtype=dtype)


def everything(rank):
    """Each algorithm on each shape and type: ours, the library's, the sum."""
    world_size = dist.get_world_size()
    results = []
    for name, all_reduce in ALGORITHMS.items():
        for shape in SHAPES:
            for dtype in ATOL:
                ours = part(rank, shape, dtype)
                theirs = ours.clone()
                exact = sum(part(r, shape, dtype) for r in range(world_size))
                assert all_reduce(ours) is None
                dist.all_reduce(theirs)
                assert ours.shape == exact.shape
                for other in (theirs, exact):
                    torch.testing.assert_close(
                        ours, other, rtol=0, atol=ATOL[dtype], msg=name
                    )
                results.append(ours.numpy().tobytes())
    return results


@pytest.mark.claim(
    zh="手写的环、主从、两两互发、树：整数与 dist.all_reduce 完全相等，浮点差在舍入以内，各 rank 逐位相同",
    en="Hand-written ring, star, everyone to everyone and tree: integers equal dist.all_reduce exactly, floats to rounding, and all ranks are equal bit for bit",
    against_zh="dist.all_reduce 与直接求和；1 到 5 个进程，10 种形状（长度 0、短于 W、不被 W 整除、零维），float32、int64",
    against_en="dist.all_reduce and a plain sum; 1 to 5 processes, 10 shapes (length 0, shorter than W, not divisible by W, no dimension), float32, int64",
    tolerance="int64 0, float32 2e-6",
)
@pytest.mark.parametrize("world_size", WORLDS)
def test_it_equals_the_library(world_size):
    ranks = run_ranks(everything, world_size)
    assert len(ranks[0]) == len(ALGORITHMS) * len(SHAPES) * len(ATOL)
    assert ranks == [ranks[0]] * world_size  # bit for bit


def subgroups(rank):
    """Groups that not everyone is in; the world's ranks are not the group's."""
    found = {}
    for members in ([1, 3], [0, 2, 3], [2]):
        group = dist.new_group(members)
        for name, all_reduce in ALGORITHMS.items():
            tensor = torch.full((5,), 10**rank)
            if rank in members:
                all_reduce(tensor, group)
            else:
                with pytest.raises(ValueError, match="found an outsider"):
                    all_reduce(tensor, group)
            found[name, *members] = tensor.tolist()
        if rank not in members:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                dist.all_reduce(tensor, group=group)
            assert "does not belong to the given group" in str(caught[0])
            assert tensor.tolist() == [10**rank] * 5
    return found


def test_a_subgroup():
    ranks = run_ranks(subgroups, 4)
    for rank, found in enumerate(ranks):
        for (_, *members), tensor in found.items():
            total = sum(10**r for r in members)
            assert tensor == [total if rank in members else 10**rank] * 5


def odd_inputs(rank):
    table = torch.arange(12.0).view(4, 3)
    for all_reduce in ALGORITHMS.values():
        for view in (table.t(), table[:, 0], table[:1].expand(4, 3)):
            with pytest.raises(ValueError, match="expected a contiguous"):
                all_reduce(view)
    assert torch.equal(table, torch.arange(12.0).view(4, 3))
    with pytest.raises(ValueError) as error:
        ring.ring_all_reduce(table[:, 0])
    weight = torch.nn.Parameter(torch.full((3,), rank + 1.0))
    ring.ring_all_reduce(weight)  # a leaf: in place, outside autograd
    return str(error.value), weight.tolist(), weight.requires_grad


def test_what_is_refused():
    message = "expected a contiguous tensor, found strides (3,) for shape (4,)"
    expected = (message, [3.0] * 3, True)
    assert run_ranks(on_two, 2) == [expected] * 2


def large(rank):
    """Long messages do not deadlock."""
    tensor = torch.full((1 << 20,), rank + 1.0)
    for all_reduce in ALGORITHMS.values():
        ours = tensor.clone()
        all_reduce(ours)
        assert (ours == 6).all()


def on_three(rank):
    large(rank)
    return (
        sum_and_gather(rank),
        printed(rank, ring, "main"),
        printed(rank, all_reduce_by_hand, "check"),
    )


@pytest.fixture(scope="module")
def three():
    """What needs three ranks, in one run; 4 MB are beyond any buffer."""
    return run_ranks(on_three, 3)


def sum_and_gather(rank):
    tensor = torch.tensor([10**rank])
    gathered = [torch.zeros_like(tensor) for _ in range(3)]
    dist.all_gather(gathered, tensor)
    ring.ring_all_reduce(tensor)
    return tensor.tolist(), torch.cat(gathered).tolist()


def test_each_rank_has_the_sum_not_the_list(three):
    assert [found for found, _, _ in three] == [([111], [1, 10, 100])] * 3


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 5, 8, 9])
def test_the_steps_of_the_ring_fit_together(world_size):
    """What a rank sends is what its right expects; all arrives once."""
    steps = [list(ring.ring_steps(r, world_size)) for r in range(world_size)]
    held = [[{r} for _ in range(world_size)] for r in range(world_size)]
    for step in range(2 * (world_size - 1)):
        moving = [set(held[r][steps[r][step][0]]) for r in range(world_size)]
        for rank in range(world_size):
            sent, _, _ = steps[rank - 1][step]
            _, got, add = steps[rank][step]
            assert sent == got
            if add:
                assert not held[rank][got] & moving[rank - 1]
                held[rank][got] |= moving[rank - 1]
            else:
                held[rank][got] = moving[rank - 1]
    everyone = set(range(world_size))
    assert held == [[everyone] * world_size] * world_size


def printed(rank, module, name):
    lines = []
    module.print_in_turn = module.print = lines.append
    getattr(module, name)(rank)
    return lines


def test_what_they_print(three):
    assert three[1][1] == [
        "rank 1: [10, 20, 30, 40, 50, 60] -> [111, 222, 333, 444, 555, 666]"
    ]
    assert [lines for _, _, lines in three] == [
        ["3 ranks: all equal dist.all_reduce"],
        [],
        [],
    ]


def on_two(rank):
    answer = odd_inputs(rank)
    broken(rank)
    return answer


def broken(rank):
    """The examples would notice a wrong sum."""
    all_reduce_by_hand.ALGORITHMS["ring"] = lambda tensor: None
    with pytest.raises(AssertionError):
        all_reduce_by_hand.check(rank)
    ring.ring_all_reduce = lambda tensor: None
    with pytest.raises(AssertionError):
        ring.main(rank)


@pytest.mark.gpu
def test_over_nccl():
    if torch.cuda.device_count() < 2:
        pytest.skip("no two GPUs here | 这里没有两块 GPU")
    code = (
        "from all_reduce_by_hand import check\n"
        "from launch import launch\n"
        "launch(check, 2, backend='nccl')"
    )
    folder = Path(all_reduce_by_hand.__file__).parent
    job = run([sys.executable, "-c", code], folder)
    expected = (0, "2 ranks: all equal dist.all_reduce\n")
    assert (job.returncode, job.stdout) == expected, job.stderr
