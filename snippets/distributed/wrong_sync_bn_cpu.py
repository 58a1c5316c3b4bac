"""The official SyncBatchNorm in a group of CPU processes."""

import torch
from torch import nn

from launch import launch


# --8<-- [start:main]
def train(rank):
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    model(torch.randn(8, 3)).sum().backward()


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train, world_size=1, backend="gloo")
