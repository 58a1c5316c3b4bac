"""all_reduce_traffic.py and all_reduce_model.py: bytes, steps and their cost."""

from fractions import Fraction
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

import all_reduce_model
import all_reduce_traffic
from all_reduce_by_hand import ALGORITHMS
from all_reduce_model import crossover, predict
from all_reduce_traffic import Traffic, record, replay
from ranks import run_ranks

SNIPPETS = [
    "distributed/all_reduce_traffic.py",
    "distributed/all_reduce_model.py",
]
COUNT = 840  # numbers; divisible by 1 to 8
S = 8 * COUNT  # bytes of float64


def record_all(rank):
    """What the examples print; each algorithm's messages, float64."""
    module = {4: all_reduce_traffic, 8: all_reduce_model}.get(dist.get_world_size())
    printed = lines(rank, module) if module else ""
    torch.set_default_dtype(torch.float64)
    logs = {name: record(f, COUNT) for name, f in ALGORITHMS.items()}
    return printed, logs if rank == 0 else {}


@pytest.fixture(scope="module")
def runs():
    """{W: each rank's record_all()} of real processes."""
    return {w: run_ranks(record_all, w) for w in (1, 2, 3, 4, 5, 8)}


@pytest.fixture(scope="module")
def logs(runs):
    """{(name, W): messages of each rank}."""
    return {
        (name, world_size): log
        for world_size, ranks in runs.items()
        for name, log in ranks[0][1].items()
    }


def totals(log, sends):
    """Bytes that each rank sent, or received."""
    return [sum(n for out, _, n in own if out == sends) for own in log]


@pytest.mark.claim(
    zh="真实进程：环里每个 rank 恰好发送、接收 2(W−1)/W·S 字节",
    en="Real processes: in the ring every rank sends and receives exactly 2(W−1)/W·S bytes",
    against_zh="截获每一次 c10d::send 与 recv，W = 1、2、3、4、5、8",
    against_en="every c10d::send and recv intercepted, W = 1, 2, 3, 4, 5, 8",
    tolerance="0",
    snippets=["distributed/all_reduce_traffic.py"],
)
def test_what_each_rank_of_the_ring_sends(logs):
    for (name, world_size), log in logs.items():
        if name == "ring":
            share = Fraction(2 * (world_size - 1), world_size) * S
            assert totals(log, True) == [share] * world_size
            assert totals(log, False) == [share] * world_size


@pytest.mark.claim(
    zh="热点：主从的根收、发各 (W−1)·S；总流量主从、树、环都是 2(W−1)·S，两两互发是 W(W−1)·S",
    en="The hot spot: the star's root sends and receives (W−1)·S; in all, star, tree and ring move 2(W−1)·S, everyone to everyone W(W−1)·S",
    against_zh="截获每一次 c10d::send 与 recv，W = 1、2、3、4、5、8",
    against_en="every c10d::send and recv intercepted, W = 1, 2, 3, 4, 5, 8",
    tolerance="0",
    snippets=["distributed/all_reduce_traffic.py"],
)
def test_where_the_hot_spot_is(logs):
    for (name, world_size), log in logs.items():
        others = world_size - 1
        sent, received = totals(log, True), totals(log, False)
        in_all = world_size if name == "everyone" else 2
        assert sum(sent) == sum(received) == in_all * others * S
        if name == "star":
            assert sent == received == [others * S] + [S] * others
        if name == "everyone":
            assert sent == received == [others * S] * world_size
        if name == "tree":
            depth = (world_size - 1).bit_length()
            assert sent[0] == received[0] == depth * S
            assert max(sent) == sent[0]


def steps_by_hand(name, world_size):
    """What each takes at least, one message in and one out at a time."""
    depth = {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3}[world_size]
    ring = 2 * (world_size - 1)
    return {
        "star": ring,
        "everyone": world_size - 1,
        "tree": 2 * depth,
        "ring": ring,
    }[name]


@pytest.mark.claim(
    zh="步数：主从与环 2(W−1)，两两互发 W−1，树 2⌈log₂W⌉：随 W 增长",
    en="Steps: 2(W−1) for star and ring, W−1 for everyone to everyone, 2⌈log₂W⌉ for the tree: they grow with W",
    against_zh="按每个 rank 同时至多收一条、发一条，重放真实进程的消息",
    against_en="messages of real processes replayed, one in and one out at a time for each rank",
    tolerance="0",
    snippets=["distributed/all_reduce_traffic.py"],
)
def test_how_many_steps(logs):
    for (name, world_size), log in logs.items():
        steps = replay(log, lambda size: 1)
        assert steps == steps_by_hand(name, world_size)


def test_the_volume_is_bounded_but_the_steps_grow(logs):
    """The old claim "O(S), independent of N" holds for bytes, not for time."""
    worlds = (2, 3, 4, 5, 8)
    share = [max(totals(logs["ring", w], True)) / S for w in worlds]
    assert share == sorted(share)
    assert (share[0], share[-1]) == (1, 1.75)
    steps = [replay(logs["ring", w], lambda size: 1) for w in worlds]
    assert steps == [2, 4, 6, 8, 14]


def test_the_model_is_what_the_messages_cost(logs):
    for alpha, beta in ((0, 1), (1, 0), (20, 0.001), (0.37, 2.9), (100, 3)):
        for (name, world_size), log in logs.items():
            time = replay(log, lambda size: alpha + beta * size)  # noqa: B023
            expected = predict(name, world_size, S, alpha, beta)
            assert time == pytest.approx(expected, rel=1e-12)


@pytest.mark.claim(
    zh="树比环快的界限：W = 4 时 0.8·α/β，8 时 1.88，64 时 11.4；两三个进程时树从不更快",
    en="Where the tree stops beating the ring: 0.8·α/β for W = 4, 1.88 for 8, 11.4 for 64; with two or three ranks it never does",
    against_zh="逐个尺寸比较两个公式的时间",
    against_en="both formulas evaluated size by size",
    tolerance="2e-3",
    snippets=["distributed/all_reduce_model.py"],
)
def test_where_the_ring_takes_over():
    sizes = torch.arange(1, 130_000, dtype=torch.float64) / 1000
    for world_size in (2, 3, 4, 5, 7, 8, 16, 64, 1000):
        tree = predict("tree", world_size, sizes, 1, 1)
        ring = predict("ring", world_size, sizes, 1, 1)
        faster = sizes[tree + 1e-9 < ring].tolist()
        limit = max(faster, default=0)
        assert len(faster) == round(1000 * limit)  # all that are shorter
        assert crossover(world_size) == pytest.approx(limit, abs=2e-3)
    assert crossover(1) == crossover(2) == crossover(3) == 0
    assert crossover(4) == pytest.approx(0.8)
    assert round(crossover(8), 2) == 1.88
    assert round(crossover(64), 1) == 11.4


def test_everyone_against_the_tree():
    """Up to 6 ranks it is never slower; with 8 or from 10 on it has more steps."""
    for world_size in range(2, 200):
        for size in (0, 0.1, 1, 10, 1000):
            tree, everyone = (
                predict(name, world_size, size, 1, 1) for name in ("tree", "everyone")
            )
            if world_size <= 6:
                assert everyone <= tree
            elif world_size in (7, 9):
                assert everyone == tree
            else:
                assert tree < everyone
    for size in (0.1, 1, 1.9):  # W = 4: ahead of the ring below 2 α/β
        assert predict("everyone", 4, size, 1, 1) < predict("ring", 4, size, 1, 1)
    assert predict("everyone", 4, 2, 1, 1) == predict("ring", 4, 2, 1, 1)


def test_the_limit_falls_just_past_a_power_of_two():
    found = {w: round(crossover(w), 2) for w in (4, 5, 8, 9, 16, 17)}
    assert found == {4: 0.8, 5: 0.45, 8: 1.88, 9: 1.29, 16: 3.59, 17: 2.71}
    for depth in range(2, 12):
        assert crossover(2**depth) < crossover(2 ** (depth + 1))
        assert crossover(2**depth + 1) < crossover(2**depth)


def test_long_messages_cost_the_star_half_a_world_more():
    """W = 8, S large: star and tree against the ring."""
    times = {
        n: predict(n, 8, 1e9) / predict("ring", 8, 1e9) for n in ALGORITHMS
    }
    assert round(times["star"], 1) == 8.0
    assert round(times["tree"], 2) == 3.43


def a_few_messages(rank):
    """Two sends and a receive of known sizes."""
    with Traffic() as traffic:
        if rank == 0:
            dist.send(torch.zeros(3, dtype=torch.int64), 1)
            dist.isend(torch.zeros(5), 1).wait()
            dist.recv(torch.zeros(7, dtype=torch.int8), 1)
        else:
            dist.recv(torch.zeros(3, dtype=torch.int64), 0)
            dist.recv(torch.zeros(5), 0)
            dist.send(torch.zeros(7, dtype=torch.int8), 0)
        torch.ones(2) + 1  # no message
    return traffic.messages


def test_the_recorder_counts_messages_and_bytes():
    assert run_ranks(a_few_messages, 2) == [
        [(True, 1, 24), (True, 1, 20), (False, 1, 7)],
        [(False, 0, 24), (False, 0, 20), (True, 0, 7)],
    ]


def test_replay_by_hand():
    """Rank 2's message to 0 waits until 0 has taken 1's, then 0 answers."""
    logs = [
        [(False, 1, 10), (False, 2, 4), (True, 1, 1)],
        [(True, 0, 10), (False, 0, 1)],
        [(True, 0, 4)],
    ]
    assert replay(logs, lambda size: size) == 15
    assert replay([[], []], lambda size: size) == 0
    both = [[(True, 1, 6), (False, 1, 6)], [(True, 0, 6), (False, 0, 6)]]
    assert replay(both, lambda size: size) == 6  # both ways at once
    twice = [[(True, 1, 2), (True, 1, 2)], [(False, 0, 2), (False, 0, 2)]]
    assert replay(twice, lambda size: size) == 4  # one port


def lines(rank, module):
    printed = []
    module.print = printed.append
    getattr(module, "report" if module is all_reduce_traffic else "compare")(
        rank
    )
    return "\n".join(printed)


def test_what_they_print(runs):
    folder = Path(all_reduce_traffic.__file__).parent
    for name, world_size in (("traffic", 4), ("model", 8)):
        shown = [printed for printed, _ in runs[world_size]]
        out = (folder / f"all_reduce_{name}.out").read_text()
        assert shown[0] + "\n" == out
        assert shown[1] == ""


def test_the_numbers_in_the_text():
    assert predict("ring", 8, 1024) == pytest.approx(281.8, abs=0.1)
    assert round(crossover(8) * 20 / 0.001) == 37647
    with pytest.raises(KeyError):
        predict("butterfly", 8, 1024)
