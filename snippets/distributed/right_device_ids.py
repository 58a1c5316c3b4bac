"""device_ids: one GPU for a model on it, None for any other."""

from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:main]
def wrap(rank):
    model = nn.Linear(2, 2).to(device())
    gpu = device().type == "cuda"
    ddp = DDP(model, device_ids=[rank] if gpu else None)
    print(f"rank {rank}: device_ids {ddp.device_ids}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(wrap, world_size=1)
