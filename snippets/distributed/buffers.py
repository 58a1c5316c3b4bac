"""Buffers: rank 0 overwrites the others before a forward."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn


# --8<-- [start:record]
def running_means(rank, steps=4, **options):
    """BatchNorm's running mean as the forward finds it and as it leaves it.

    Rank r's batches have the mean 4 (r + 1). Returns `steps` pairs.
    """
    norm = nn.BatchNorm1d(1, momentum=0.5).to(device())
    ddp = DDP(norm, **options)
    found, left = [], []
    norm.register_forward_pre_hook(
        lambda *_: found.append(norm.running_mean.item())
    )
    for _ in range(steps):
        ddp(torch.tensor([[-1.0], [1.0]], device=device()) + 4 * rank + 4)
        left.append(norm.running_mean.item())
    return list(zip(found, left, strict=True))


# --8<-- [end:record]


# --8<-- [start:main]
def main(rank):
    for option in (True, False):
        pairs = running_means(rank, forward_sync_buffers=option)
        steps = "  ".join(f"{a:.2f} -> {b:.2f}" for a, b in pairs)
        print_in_turn(f"sync {option!s:5} rank {rank}: {steps}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
