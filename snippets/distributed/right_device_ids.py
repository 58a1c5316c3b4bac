"""device_ids: one GPU for a model on it, None for any other."""

from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn


# --8<-- [start:main]
def wrap(rank):
    model = nn.Linear(2, 2).to(device())
    gpu = device().index  # as is the local rank; None for the CPU
    ddp = DDP(model, device_ids=None if gpu is None else [gpu])
    print_in_turn(f"rank {rank}: device_ids {ddp.device_ids}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(wrap, world_size=1)
