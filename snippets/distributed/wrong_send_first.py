"""Every rank sends to its right before it receives from its left."""

from datetime import timedelta

import torch
import torch.distributed as dist

from launch import launch


# --8<-- [start:main]
def pass_on(rank, group):
    world_size = dist.get_world_size()
    own, arrived = torch.tensor([rank]), torch.tensor([-1])
    dist.send(own, (rank + 1) % world_size, group)
    dist.recv(arrived, (rank - 1) % world_size, group)
    print(f"rank {rank} has {arrived.item()}")


# --8<-- [end:main]


def try_it(rank):
    # Rank 0 gives up first, and the others lose their connection to it; only
    # its error is raised, or it would be now this one that shows, now that.
    limit = timedelta(seconds=1 if rank == 0 else 20)
    try:
        pass_on(rank, dist.new_group(timeout=limit))
    except RuntimeError:
        if rank == 0:
            raise


if __name__ == "__main__":
    launch(try_it, backend="gloo")
