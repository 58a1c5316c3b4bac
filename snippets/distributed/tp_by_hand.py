"""Split an MLP over ranks by hand: columns, then rows, then one all-reduce."""

import torch
import torch.distributed as dist
from torch.nn.functional import gelu, linear

from launch import device, launch


def make_mlp(dim=4, hidden=8):
    """Weights as nn.Linear holds them, (out, in); the same on each rank."""
    gen = torch.Generator().manual_seed(0)
    shapes = [(hidden, dim), (hidden,), (dim, hidden), (dim,), (3, dim)]
    w1, b1, w2, b2, x = (
        torch.randn(s, dtype=torch.float64, generator=gen).to(device())
        for s in shapes
    )
    return (w1, b1, w2, b2), x


# --8<-- [start:mlp]
def whole_mlp(x, w1, b1, w2, b2):
    return linear(gelu(linear(x, w1, b1)), w2, b2)


def split_mlp(x, w1, b1, w2, b2):
    """From 1/W of both weights, with one all-reduce."""
    rank = dist.get_rank()
    world_size = dist.get_world_size()
    # By columns: some of the outputs.
    w1 = w1.chunk(world_size, dim=0)[rank]
    b1 = b1.chunk(world_size, dim=0)[rank]
    # By rows: some of the inputs.
    w2 = w2.chunk(world_size, dim=1)[rank]
    hidden = gelu(linear(x, w1, b1))
    y = linear(hidden, w2)  # one term of the sum
    dist.all_reduce(y)
    return y + b2  # the bias once


# --8<-- [end:mlp]


# --8<-- [start:gather]
def column_linear(x, w, b):
    """Each rank holds some outputs; to see all of them, gather."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    y = linear(x, w.chunk(world_size)[rank], b.chunk(world_size)[rank])
    shares = [torch.empty_like(y) for _ in range(world_size)]
    dist.all_gather(shares, y)
    return torch.cat(shares, dim=-1)


def row_linear(x, w, b):
    """Each rank holds some inputs; its result is one term of a sum."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    x = x.chunk(world_size, dim=-1)[rank]
    y = linear(x, w.chunk(world_size, dim=1)[rank])
    dist.all_reduce(y)
    return y + b


# --8<-- [end:gather]


# --8<-- [start:main]
def compare(rank):
    weights, x = make_mlp()
    difference = (split_mlp(x, *weights) - whole_mlp(x, *weights)).abs().max()
    if rank == 0:
        size = dist.get_world_size()
        print(f"{size} ranks, 1/{size} of both weights on each")
        print(f"same output to 1e-14: {bool(difference < 1e-14)}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare)
