"""DETAIL without DDP: it says which rank calls which collective."""

import os
import re

import torch
import torch.distributed as dist

from launch import launch


def report(text):
    """Print the operations, and what differs, of a long message."""
    print(text.partition(" Rank 0")[0])
    for rank, call in re.findall(r"Rank (\d) is .*?OpType=(\w+)", text):
        print(f"  rank {rank}: {call}")
    print(text.partition("aspects:")[2].strip(), flush=True)


# --8<-- [start:main]
def train(rank):
    try:
        if rank == 0:
            dist.all_reduce(torch.ones(3))
        else:
            dist.broadcast(torch.ones(3), src=0)
    except RuntimeError as error:
        if rank == 0:
            report(str(error))


if __name__ == "__main__":
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
    dist.set_debug_level_from_env()  # read at import
    launch(train, backend="gloo")
# --8<-- [end:main]
