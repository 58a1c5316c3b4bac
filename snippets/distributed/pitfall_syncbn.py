"""SyncBatchNorm is for GPUs; on the CPU it refuses its first batch."""

import torch
from torch import nn

from launch import device, launch


def make_model():
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))


# --8<-- [start:wrong]
def wrong():
    return nn.SyncBatchNorm.convert_sync_batchnorm(make_model())


# --8<-- [end:wrong]


# --8<-- [start:right]
def right():
    model = make_model().to(device())
    if device().type == "cuda":  # else: BatchNorm of each rank's own batch
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return model


# --8<-- [end:right]


def show(rank):
    try:
        print(wrong()(torch.ones(2, 4)).shape)
    except ValueError as error:
        print(f"wrong: {error}")
    y = right()(torch.ones(2, 4, device=device()))
    print(f"right: {tuple(y.shape)}", flush=True)


if __name__ == "__main__":
    launch(show, world_size=1)
