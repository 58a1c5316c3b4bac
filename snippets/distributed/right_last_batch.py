"""Nine samples dealt out by DistributedSampler: as many batches everywhere."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from launch import launch, print_in_turn


# --8<-- [start:main]
def train(rank):
    ddp = DDP(nn.Linear(1, 1))
    data = torch.arange(9.0).view(9, 1)
    sampler = DistributedSampler(data)  # 5 samples, and 5
    for batch in DataLoader(data, batch_size=2, sampler=sampler):
        ddp(batch).sum().backward()
    print_in_turn(f"rank {rank} is through")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, timeout=2)
