"""Every rank calls the collective; rank 0 alone prints its result."""

import torch
import torch.distributed as dist

from launch import device, launch


# --8<-- [start:main]
def train(rank):
    loss = torch.tensor(rank + 1.0, device=device())
    dist.all_reduce(loss)  # outside the `if`: every rank takes part
    if rank == 0:
        print(f"mean loss {loss / dist.get_world_size():.2f}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train)
