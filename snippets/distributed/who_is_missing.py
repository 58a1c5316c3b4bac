"""monitored_barrier names the ranks that did not come."""

from datetime import timedelta

import torch.distributed as dist

from launch import launch


# --8<-- [start:use]
def all_here(group, seconds):
    """To be called on every rank."""
    limit = timedelta(seconds=seconds)
    dist.monitored_barrier(group, limit, wait_all_ranks=True)


# --8<-- [end:use]


# --8<-- [start:main]
def train(rank):
    # Once, on every rank; the model's own group may be NCCL's.
    group = dist.new_group(backend="gloo")
    if rank > 0:
        return  # on purpose, to see what rank 0 then says
    try:
        all_here(group, seconds=2)
    except RuntimeError as error:
        print(str(error).splitlines()[0], flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, backend="gloo")
