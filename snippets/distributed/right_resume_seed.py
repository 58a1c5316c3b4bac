"""A seed for each step and rank: the masks do not know of the restart."""

import torch
import torch.distributed as dist

from launch import launch
from resume_twice import compare, start, take_step


# --8<-- [start:main]
def train(steps, state=None):
    ddp, optimizer = start(state)
    for step in steps:
        torch.manual_seed(step * dist.get_world_size() + dist.get_rank())
        take_step(ddp, optimizer)
    return ddp.module.state_dict(), optimizer.state_dict()


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare, 2, train)
