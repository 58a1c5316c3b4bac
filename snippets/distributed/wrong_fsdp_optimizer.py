"""An optimizer made before fully_shard keeps the parameters of before."""

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.optim import Adam

from launch import device, launch
from measure_step import show


# --8<-- [start:fsdp]
def sharded_too_late(model):
    mesh = init_device_mesh(device().type, (dist.get_world_size(),))
    optimizer = Adam(model.parameters(), lr=0.003)
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model, optimizer


# --8<-- [end:fsdp]


if __name__ == "__main__":
    launch(show, 2, sharded_too_late)
