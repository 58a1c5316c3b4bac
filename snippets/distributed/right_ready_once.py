"""Checkpointing that does not start a backward pass of its own."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint

from launch import device, launch


# --8<-- [start:main]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return checkpoint(self.layer, x, use_reentrant=False)


def train(rank):
    ddp = DDP(Net().to(device()))
    x = torch.ones(2, 4, requires_grad=True, device=device())
    ddp(x).sum().backward()
    print("step passed", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, world_size=1)
