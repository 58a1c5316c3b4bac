"""A row split whose ranks each keep the bias: it is added W times."""

import torch
import torch.distributed as dist
from torch import nn

from launch import device, launch


# --8<-- [start:main]
@torch.no_grad()
def run(rank):
    world_size = dist.get_world_size()
    whole = nn.Linear(8, 4).to(device())
    whole.weight.fill_(1.0)
    whole.bias.fill_(0.5)
    x = torch.ones(1, 8, device=device())

    mine = nn.Linear(8 // world_size, 4).to(device())
    mine.weight.copy_(whole.weight.chunk(world_size, dim=1)[rank])
    mine.bias.copy_(whole.bias)
    y = mine(x.chunk(world_size, dim=1)[rank])
    dist.all_reduce(y)
    if rank == 0:
        error = (y - whole(x))[0, 0].item()
        print(f"W = {world_size}: off by {error}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(run, (2, 4))
