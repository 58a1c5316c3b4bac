"""Nine samples dealt out by hand: one rank has a batch more than the other."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from launch import launch


# --8<-- [start:main]
def train(rank):
    ddp = DDP(nn.Linear(1, 1))
    shard = torch.arange(9.0).view(9, 1)[rank::2]  # 5 samples, and 4
    for batch in DataLoader(shard, batch_size=2):
        ddp(batch).sum().backward()
    print(f"rank {rank} is through", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, timeout=2)  # the default is 30 minutes
