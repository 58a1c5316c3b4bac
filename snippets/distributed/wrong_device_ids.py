"""device_ids as in 2019, and for a model that is not on one GPU."""

from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch


# --8<-- [start:main]
def wrap(rank):
    model = nn.Linear(2, 2)  # on the CPU
    try:
        DDP(model, device_ids=[0, 1, 2, 3, 4, 5, 6, 7])
    except ValueError as error:
        print(f"rank {rank}: {error}", flush=True)
    DDP(model, device_ids=[rank])


# --8<-- [end:main]


if __name__ == "__main__":
    launch(wrap, world_size=1, backend="gloo")
