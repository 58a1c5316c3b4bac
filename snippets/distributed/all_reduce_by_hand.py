"""Star, everyone to everyone, and tree: on send and receive."""

import torch
import torch.distributed as dist

from launch import device, launch
from ring_all_reduce import exchange, flat_view, ring_all_reduce


# --8<-- [start:star]
def star_all_reduce(tensor, group=None):
    """Sum in place: all send to rank 0 (gather), which sends to all."""
    flat, rank, world_size = flat_view(tensor, group)
    if rank > 0:
        dist.send(flat, group=group, group_dst=0)
        dist.recv(flat, group=group, group_src=0)
        return
    part = torch.empty_like(flat)
    for other in range(1, world_size):
        dist.recv(part, group=group, group_src=other)
        flat += part
    for other in range(1, world_size):
        dist.send(flat, group=group, group_dst=other)


# --8<-- [end:star]


# --8<-- [start:everyone]
def everyone_all_reduce(tensor, group=None):
    """Sum in place: everyone sends everything to everyone."""
    flat, rank, world_size = flat_view(tensor, group)
    parts = [torch.empty_like(flat) for _ in range(world_size)]
    parts[rank].copy_(flat)
    others = [(rank + i) % world_size for i in range(1, world_size)]
    if others:
        exchange(
            [(flat, other) for other in others],
            [(parts[other], other) for other in reversed(others)],
            group,
        )
    flat.copy_(parts[0])
    for part in parts[1:]:  # in the same order on every rank
        flat += part


# --8<-- [end:everyone]


# --8<-- [start:tree]
def tree_all_reduce(tensor, group=None):
    """Sum in place: up a binomial tree to rank 0, and down again."""
    flat, rank, world_size = flat_view(tensor, group)
    part = torch.empty_like(flat)
    spans = [2**i for i in range((world_size - 1).bit_length())]
    for span in spans:  # 1, 2, 4, …: half of those left hand over and rest
        if rank % (2 * span) == span:
            dist.send(flat, group=group, group_dst=rank - span)
        elif rank % (2 * span) == 0 and rank + span < world_size:
            dist.recv(part, group=group, group_src=rank + span)
            flat += part
    for span in reversed(spans):
        if rank % (2 * span) == span:
            dist.recv(flat, group=group, group_src=rank - span)
        elif rank % (2 * span) == 0 and rank + span < world_size:
            dist.send(flat, group=group, group_dst=rank + span)


# --8<-- [end:tree]


ALGORITHMS = {
    "star": star_all_reduce,
    "everyone": everyone_all_reduce,
    "tree": tree_all_reduce,
    "ring": ring_all_reduce,
}


# --8<-- [start:main]
def check(rank):
    for name, all_reduce in ALGORITHMS.items():
        for length in (0, 1, 1000):
            ours = torch.arange(length, device=device()) * (rank + 1)
            theirs = ours.clone()
            all_reduce(ours)
            dist.all_reduce(theirs)
            assert torch.equal(ours, theirs), (name, length)
    if rank == 0:
        print(f"{dist.get_world_size()} ranks: all equal dist.all_reduce")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(check, (2, 3, 4))
