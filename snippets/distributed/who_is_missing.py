"""monitored_barrier names the ranks that did not come."""

from datetime import timedelta

import torch.distributed as dist

from launch import launch


# --8<-- [start:main]
def train(rank):
    if rank == 0:  # the others are somewhere else in the code
        limit = timedelta(seconds=2)
        try:
            dist.monitored_barrier(timeout=limit, wait_all_ranks=True)
        except RuntimeError as error:
            print(str(error).splitlines()[0], flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, backend="gloo")
