"""A checkpoint of the DDP wrapper does not fit the model inside it."""

import io

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch


# --8<-- [start:main]
def save_and_load(rank):
    file = io.BytesIO()
    ddp = DDP(nn.Linear(4, 2))
    torch.save(ddp.state_dict(), file)

    file.seek(0)
    model = nn.Linear(4, 2)  # at inference: no DDP
    model.load_state_dict(torch.load(file))


# --8<-- [end:main]


if __name__ == "__main__":
    launch(save_and_load, world_size=1)
