"""A collective inside `if rank == 0`: the other ranks never come."""

import torch
import torch.distributed as dist

from launch import launch

GPUS_PER_NODE = 2


# --8<-- [start:main]
def count_gpus(rank):
    highest = torch.tensor(rank % GPUS_PER_NODE)
    if rank == 0:
        dist.all_reduce(highest, op=dist.ReduceOp.MAX)  # rank 0 alone
        print(f"GPUs per node: {highest.item() + 1}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(count_gpus, timeout=1, backend="gloo")  # not half an hour
