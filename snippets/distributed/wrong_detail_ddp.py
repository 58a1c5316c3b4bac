"""TORCH_DISTRIBUTED_DEBUG=DETAIL and DDP over gloo: the process dies."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch


# --8<-- [start:main]
def train(rank):
    print("wrapping the model", flush=True)
    ddp = DDP(nn.Linear(4, 1))
    ddp(torch.ones(2, 4)).sum().backward()
    print("step passed", flush=True)


if __name__ == "__main__":
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
    dist.set_debug_level_from_env()  # torch reads it when it is imported
    launch(train, world_size=1, backend="gloo")
# --8<-- [end:main]
