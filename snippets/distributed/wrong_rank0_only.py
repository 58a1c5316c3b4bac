"""A collective that rank 0 alone calls: it waits for ranks that are gone."""

import torch
import torch.distributed as dist

from launch import launch


# --8<-- [start:main]
def train(rank):
    loss = torch.tensor(rank + 1.0)
    if rank == 0:  # "only rank 0 prints, so only rank 0 needs the mean"
        dist.all_reduce(loss)
        print(f"mean loss {loss / dist.get_world_size():.2f}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, timeout=1, backend="gloo")
