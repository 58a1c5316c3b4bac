"""wrong_send_first.py and right_send_first.py: a ring in which all send."""

from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

import right_send_first
import wrong_send_first
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_send_first.py",
    "distributed/right_send_first.py",
]


def wrong(rank):
    dist.destroy_process_group()
    try:
        launch(wrong_send_first.try_it, backend="gloo")
    except RuntimeError as error:
        return str(error)


def each_error(rank):
    limit = timedelta(seconds=1 if rank == 0 else 20)
    with pytest.raises(RuntimeError) as error:
        wrong_send_first.pass_on(rank, dist.new_group(timeout=limit))
    return str(error.value)


def right(rank):
    printed, waited = [], []
    isend = dist.isend

    class Sending:
        def __init__(self, *args):
            self.work = isend(*args)

        def wait(self):
            waited.append(self.work.wait())

    dist.isend = Sending
    right_send_first.print_in_turn = printed.append
    right_send_first.pass_on(rank)
    assert len(waited) == 1  # or the buffer could be reused too early
    return printed


@pytest.mark.claim(
    zh="所有 rank 都先 send：哪怕只发一个数也会死锁，直到超时（Timed out waiting … for send operation to complete）",
    en="Every rank sends first: a deadlock even with a single number, until the timeout (Timed out waiting … for send operation to complete)",
    against_zh="两个真实进程，时限 1 s",
    against_en="two real processes with a limit of 1 s",
    snippets=["distributed/wrong_send_first.py"],
)
def test_all_wait_for_a_receiver():
    (error,) = run_ranks(wrong, 1)
    assert "Timed out waiting 1000ms for send operation to complete" in error


def test_the_others_lose_their_connection():
    first, other = run_ranks(each_error, 2)
    assert "Timed out waiting 1000ms for send operation" in first
    assert "Connection closed by peer" in other


def test_starting_the_send_is_enough():
    for world_size in (2, 3, 4):
        assert run_ranks(right, world_size) == [
            [f"rank {rank} has {(rank - 1) % world_size}"]
            for rank in range(world_size)
        ]


def odd_ranks_receive_first(rank):
    """The other way out: neighbours in opposite order."""
    world_size = dist.get_world_size()
    own, arrived = torch.tensor([rank]), torch.tensor([-1])
    first = [dist.send, (own, (rank + 1) % world_size)]
    second = [dist.recv, (arrived, (rank - 1) % world_size)]
    for call, args in (first, second) if rank % 2 == 0 else (second, first):
        call(*args)
    return arrived.item()


def test_opposite_orders_work_too():
    for world_size in (2, 3, 4):
        arrived = run_ranks(odd_ranks_receive_first, world_size)
        assert arrived == [(r - 1) % world_size for r in range(world_size)]
