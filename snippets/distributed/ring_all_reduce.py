"""Ring all-reduce between real processes, on nothing but send and receive."""

import torch
import torch.distributed as dist

from launch import device, launch, print_in_turn


# --8<-- [start:member]
def flat_view(tensor, group=None):
    """Return the tensor as a vector in the same memory, the rank, the size.

    The rank is this process's number within `group`. Raises ValueError where
    this process is not in the group, or where a vector would be a copy, so
    that the sum would never reach the caller's tensor.
    """
    rank = dist.get_rank(group)
    if rank < 0:
        raise ValueError("expected a rank of the group, found an outsider")
    if not tensor.is_contiguous():
        raise ValueError(
            f"expected a contiguous tensor, found strides {tensor.stride()}"
            f" for shape {tuple(tensor.shape)}"
        )
    return tensor.detach().view(-1), rank, dist.get_world_size(group)


# --8<-- [end:member]


# --8<-- [start:ring]
def ring_steps(rank, world_size):
    """Yield each step's chunk to send, chunk that arrives, whether to add."""
    for step in range(2 * (world_size - 1)):
        sent = (rank - step) % world_size
        yield sent, (sent - 1) % world_size, step < world_size - 1


def ring_all_reduce(tensor, group=None):
    """Turn each rank's tensor into the sum of all of them, in place.

    Any shape and length, equal on all ranks of `group` (default: all ranks).
    Raises ValueError as flat_view does. Patarasuk and Yuan, JPDC 2009.
    """
    flat, rank, world_size = flat_view(tensor, group)
    chunks = flat.tensor_split(world_size)
    arrived = torch.empty_like(chunks[0])  # the longest
    right, left = (rank + 1) % world_size, (rank - 1) % world_size
    for sent, got, add in ring_steps(rank, world_size):
        into = arrived[: len(chunks[got])] if add else chunks[got]
        exchange([(chunks[sent], right)], [(into, left)], group)
        if add:
            chunks[got].add_(into)


# --8<-- [end:ring]


# --8<-- [start:exchange]
def exchange(outgoing, incoming, group=None):
    """Start all sends and receives, then wait: no order can deadlock."""
    operations = [
        dist.P2POp(operation, part, group=group, group_peer=peer)
        for operation, parts in (
            (dist.isend, outgoing),
            (dist.irecv, incoming),
        )
        for part, peer in parts
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()


# --8<-- [end:exchange]


# --8<-- [start:main]
def main(rank):
    ours = (torch.arange(6, device=device()) + 1) * 10**rank
    theirs = ours.clone()
    before = ours.tolist()
    ring_all_reduce(ours)
    dist.all_reduce(theirs)
    assert torch.equal(ours, theirs)
    print_in_turn(f"rank {rank}: {before} -> {ours.tolist()}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main, 3)
