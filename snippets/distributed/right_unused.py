"""DDP looks for the parameters that a step leaves out."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch


# --8<-- [start:model]
class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 1)
        self.spare = nn.Linear(4, 1)  # has parameters, is never called

    def forward(self, x):
        return self.head(self.body(x))


# --8<-- [end:model]


# --8<-- [start:main]
def train(rank):
    ddp = DDP(TwoHeads(), find_unused_parameters=True)
    for step in range(2):
        ddp(torch.ones(2, 4)).sum().backward()
        print(f"step {step} passed", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, world_size=1)
