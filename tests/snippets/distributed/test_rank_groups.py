"""rank_groups.py, and the two ways of not calling what every rank must call."""

import warnings
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

import rank_groups
import wrong_new_group
import wrong_skipped_rank
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/rank_groups.py",
    "distributed/wrong_skipped_rank.py",
    "distributed/wrong_new_group.py",
]


def lines(rank):
    printed = []
    rank_groups.print_in_turn = printed.append
    rank_groups.print = lambda text, flush: printed.append(text)
    rank_groups.main(rank)
    return printed


@pytest.mark.claim(
    zh="2 个节点 × 2 个进程：节点内的 all_reduce 只加本节点的 rank，得 1 和 5",
    en="2 nodes × 2 processes: all_reduce within a node adds up that node's ranks only, 1 and 5",
    against_zh="手算 0 + 1 与 2 + 3",
    against_en="by hand: 0 + 1 and 2 + 3",
    tolerance="0",
    snippets=["distributed/rank_groups.py"],
)
def test_a_group_is_a_world_of_its_own():
    want = [
        ["rank 0: node 0, local 0, group [0, 1], sum 1", "GPUs per node: 2"],
        ["rank 1: node 0, local 1, group [0, 1], sum 1"],
        ["rank 2: node 1, local 0, group [2, 3], sum 5"],
        ["rank 3: node 1, local 1, group [2, 3], sum 5"],
    ]
    assert run_ranks(lines, 4) == want


def other_ways(rank):
    """The same groups from torch's own helpers."""
    ours = rank_groups.my_node_group()
    theirs, _ = dist.new_subgroups(2)
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("node", "gpu"))
    groups = ours, theirs, mesh.get_group("gpu")
    return [dist.get_process_group_ranks(g) for g in groups], dist.get_rank(ours)


def test_torch_makes_the_same_groups():
    """new_subgroups(2) and init_device_mesh make the same groups; within a group
    ranks count from 0 again.
    """
    for rank, (groups, number) in enumerate(run_ranks(other_ways, 4)):
        assert groups == [[rank // 2 * 2, rank // 2 * 2 + 1]] * 3
        assert number == rank % 2


def local(rank):
    """Each node's ranks make their group alone."""
    members = [rank // 2 * 2, rank // 2 * 2 + 1]
    group = dist.new_group(members, use_local_synchronization=True)
    total = torch.tensor(rank)
    dist.all_reduce(total, group=group)
    return total.item()


def test_members_may_synchronise_among_themselves():
    """use_local_synchronization=True: new_group called by the members alone
    works.
    """
    assert run_ranks(local, 4) == [1, 1, 5, 5]


def outsider(rank):
    group = dist.new_group([0])
    total = torch.tensor(rank + 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dist.all_reduce(total, group=group)
    told = [str(w.message) for w in caught if "belong" in str(w.message)]
    return total.item(), dist.get_rank(group), told


def test_a_rank_outside_is_left_alone():
    warning = "Running all_reduce on global rank 1 which does not belong to the given group."
    assert run_ranks(outsider, 2) == [(1, 0, []), (2, -1, [warning])]


def skipped(rank):
    dist.destroy_process_group()
    try:
        launch(wrong_skipped_rank.count_gpus, timeout=1, backend="gloo")
    except RuntimeError as error:
        return str(error)


@pytest.mark.claim(
    zh="只有 rank 0 调用 all_reduce：等到时限，Timed out waiting 1000ms for recv operation to complete",
    en="all_reduce called by rank 0 alone: it waits out the limit, Timed out waiting 1000ms for recv operation to complete",
    against_zh="两个进程的真实报错",
    against_en="the error itself from two processes",
    snippets=["distributed/wrong_skipped_rank.py"],
)
def test_the_other_ranks_never_come():
    (error,) = run_ranks(skipped, 1)
    assert "Timed out waiting 1000ms for recv operation to complete" in error


def group_of_one(rank):
    printed = []
    wrong_new_group.print = lambda text, flush: printed.append(text)
    wrong_new_group.make_groups(rank)
    return printed


def test_the_next_group_fails():
    """A new_group that rank 0 alone calls does not fail itself; the next
    new_group does: wait timeout on rank 0.
    """
    assert run_ranks(group_of_one, 2) == [["wait timeout"], []]


def test_what_a_tcp_store_says(capfd):
    """torchrun's store: another wording, and a warning above it."""
    store = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    with pytest.raises(dist.DistStoreError, match="wait timeout after 50ms, keys: /x"):
        store.wait(["x"], timedelta(milliseconds=50))
    assert "[c10d] waitForInput: poll for socket" in capfd.readouterr().err


def group_made_by_both(rank):
    limit = timedelta(seconds=20)
    dist.new_group([0], timeout=limit)
    group = dist.new_group([0, 1], timeout=limit)
    total = torch.ones(())
    dist.all_reduce(total, group=group)
    return total.item()


def test_made_by_both_it_works():
    assert run_ranks(group_made_by_both, 2) == [2.0, 2.0]
