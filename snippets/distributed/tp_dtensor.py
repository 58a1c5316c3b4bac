"""The same MLP with DTensor: a plan in place of hand-written slices."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

from launch import device, launch


def make_model():
    torch.manual_seed(0)  # the same on each rank
    layers = [nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4)]
    return nn.Sequential(*layers).double().to(device())


# --8<-- [start:dtensor]
def parallel_mlp():
    mesh = init_device_mesh(device().type, (dist.get_world_size(),))
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    return parallelize_module(make_model(), mesh, plan)


@torch.no_grad()
def compare(rank):
    x = torch.ones(3, 4, dtype=torch.float64, device=device())
    model = parallel_mlp()
    with CommDebugMode() as comm:
        y = model(x)
    difference = (y - make_model()(x)).abs().max()
    if rank == 0:
        for name, p in model.named_parameters():
            local = tuple(p.to_local().shape)
            print(f"{name}: {tuple(p.shape)} → {local} {p.placements[0]}")
        calls = {op.__name__: n for op, n in comm.get_comm_counts().items()}
        print(f"communication: {calls}")
        print(f"same output to 1e-14: {bool(difference < 1e-14)}", flush=True)


# --8<-- [end:dtensor]


if __name__ == "__main__":
    launch(compare)
