"""Seeded once in each process: a restart draws the first masks again."""

import torch
import torch.distributed as dist

from launch import launch
from resume_twice import compare, start, take_step


# --8<-- [start:main]
def train(steps, state=None):
    ddp, optimizer = start(state)
    torch.manual_seed(dist.get_rank())
    for _ in steps:
        take_step(ddp, optimizer)
    return ddp.module.state_dict(), optimizer.state_dict()


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare, 2, train)
