"""A communication hook whose second argument has another name."""

import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:main]
def average(group, b):
    buffer = b.buffer()
    buffer /= dist.get_world_size(group)
    work = dist.all_reduce(buffer, group=group, async_op=True)
    return work.get_future().then(lambda done: done.value()[0])


def train(rank):
    ddp = DDP(nn.Linear(8, 1).to(device()))
    ddp.register_comm_hook(None, average)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, world_size=1)
