"""Save the model inside the wrapper, or strip the prefix when loading."""

import io

import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch


# --8<-- [start:main]
def save_and_load(rank):
    file = io.BytesIO()
    ddp = DDP(nn.Linear(4, 2))
    torch.save(ddp.module.state_dict(), file)

    file.seek(0)
    model = nn.Linear(4, 2)  # at inference: no DDP
    print(model.load_state_dict(torch.load(file)))

    old = ddp.state_dict()  # a file that has the prefix already
    consume_prefix_in_state_dict_if_present(old, "module.")
    print(model.load_state_dict(old))


# --8<-- [end:main]


if __name__ == "__main__":
    launch(save_and_load, world_size=1)
