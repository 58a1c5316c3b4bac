"""Pipeline parallelism: each rank has some of the layers."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.optim import Adam

from launch import device, launch
from measure_step import show
from small_model import STEPS


# --8<-- [start:pp]
def with_pipeline(model):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if len(model) % world_size:
        raise ValueError(f"{world_size} ranks for {len(model)} blocks")
    depth = len(model) // world_size
    own = model[rank * depth : (rank + 1) * depth]
    stage = PipelineStage(own, rank, world_size, device())
    schedule = ScheduleGPipe(stage, 4, loss_fn=nn.functional.mse_loss)
    return schedule, Adam(own.parameters(), lr=0.003)


# --8<-- [end:pp]


# --8<-- [start:train]
def train_pipeline(schedule, optimizer, x, y):
    """Like `train`; the losses are the last rank's, zeros on the others."""
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    losses = torch.zeros(STEPS, dtype=x.dtype, device=x.device)
    for step in range(STEPS):
        optimizer.zero_grad()
        if rank < last:
            schedule.step(*([x] if rank == 0 else []))
        else:
            schedule.step(target=y, losses=(micro := []))
            losses[step] = torch.stack(micro).mean().detach()
        optimizer.step()
    return losses


# --8<-- [end:train]


if __name__ == "__main__":
    launch(show, 2, with_pipeline, train_pipeline, False)
