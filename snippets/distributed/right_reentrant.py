"""The same with checkpoints that are not reentrant."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint

from launch import device, launch


# --8<-- [start:model]
class Twice(nn.Module):
    def __init__(self, use_reentrant):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.shared = nn.Linear(4, 4)
        self.how = {"use_reentrant": use_reentrant}

    def forward(self, x):
        x = self.first(x)
        for _ in range(2):
            x = checkpoint(self.shared, x, **self.how)
        return x


# --8<-- [end:model]


# --8<-- [start:main]
def train(rank):
    ddp = DDP(Twice(use_reentrant=False).to(device()))
    ddp(torch.ones(2, 4, device=device())).sum().backward()
    print("one step passed", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, world_size=1)
