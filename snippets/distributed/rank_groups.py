"""Nodes, ranks, local ranks, and one process group a node."""

import torch
import torch.distributed as dist

from launch import device, launch, print_in_turn

GPUS_PER_NODE = 2  # nodes are only pretended here: all ranks run on this one


# --8<-- [start:new-group]
def node_groups(world_size):
    """Return the ranks of each node, node by node."""
    ranks = list(range(world_size))
    return [
        ranks[first : first + GPUS_PER_NODE]
        for first in range(0, world_size, GPUS_PER_NODE)
    ]


def my_node_group():
    """Make every node's group on every rank; return this rank's own."""
    for members in node_groups(dist.get_world_size()):
        group = dist.new_group(members)  # ranks outside call it as well
        if dist.get_rank() in members:
            mine = group
    return mine


# --8<-- [end:new-group]


# --8<-- [start:ranks]
def show(rank):
    node, local_rank = divmod(rank, GPUS_PER_NODE)
    group = my_node_group()
    total = torch.tensor(rank, device=device())
    dist.all_reduce(total, group=group)  # the sum over this node only
    members = dist.get_process_group_ranks(group)
    print_in_turn(
        f"rank {rank}: node {node}, local {local_rank}, "
        f"group {members}, sum {total.item()}"
    )


# --8<-- [end:ranks]


# --8<-- [start:every-rank]
def count_gpus(rank):
    highest = torch.tensor(rank % GPUS_PER_NODE, device=device())
    dist.all_reduce(highest, op=dist.ReduceOp.MAX)  # every rank
    if rank == 0:
        print(f"GPUs per node: {highest.item() + 1}", flush=True)


# --8<-- [end:every-rank]


def main(rank):
    show(rank)
    count_gpus(rank)


if __name__ == "__main__":
    launch(main, 4)
