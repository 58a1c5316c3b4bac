"""all_gather of unequal lengths: agree on the longest, pad, cut."""

import torch
import torch.distributed as dist

from launch import device, launch, print_in_turn


# --8<-- [start:main]
def gather_unequal(x):
    """Gather tensors whose first dimension differs; without gradients."""
    world_size = dist.get_world_size()
    lengths = [0] * world_size
    dist.all_gather_object(lengths, len(x))
    padded = x.new_zeros(max(lengths), *x.shape[1:])
    padded[: len(x)] = x
    pieces = [torch.empty_like(padded) for _ in range(world_size)]
    dist.all_gather(pieces, padded)
    return [p[:n] for p, n in zip(pieces, lengths, strict=True)]


def gather_samples(rank):
    x = torch.arange(2.0 + rank, device=device())
    pieces = gather_unequal(x)
    print_in_turn(f"rank {rank}: {[p.tolist() for p in pieces]}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(gather_samples)
