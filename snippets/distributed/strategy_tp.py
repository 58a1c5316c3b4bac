"""Tensor parallelism: each rank has a slice of every layer."""

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.optim import Adam

from launch import device, launch
from measure_step import show
from small_model import train


# --8<-- [start:tp]
def with_tp(model):
    mesh = init_device_mesh(device().type, (dist.get_world_size(),))
    for block in model:
        plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
        parallelize_module(block, mesh, plan)
    return model, Adam(model.parameters(), lr=0.003)


# --8<-- [end:tp]


if __name__ == "__main__":
    launch(show, 2, with_tp, train, False)
