"""Rank 0 alone makes a group; the next group that all make falls apart."""

from datetime import timedelta

import torch.distributed as dist

from launch import launch


# --8<-- [start:main]
def make_groups(rank):
    limit = timedelta(seconds=1)  # the default is 30 minutes
    if rank == 0:
        dist.new_group([0], timeout=limit)  # rank 0 alone
    dist.barrier()
    try:
        dist.new_group([0, 1], timeout=limit)  # both, as it should be
        result = "made"
    except RuntimeError as error:
        result = str(error)[:12].lower()  # the rest depends on the store
    if rank == 0:
        print(result, flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(make_groups, backend="gloo")
