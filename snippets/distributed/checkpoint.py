"""Save on rank 0, load on every rank, and go on as if nothing happened."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn, shared_folder


# --8<-- [start:save]
def save(path, ddp, optimizer, epoch):
    """Write from rank 0; no rank goes on before the file is whole."""
    if dist.get_rank() == 0:
        state = {
            "model": ddp.module.state_dict(),  # no "module." in the keys
            "optimizer": optimizer.state_dict(),
            "epoch": epoch,
        }
        torch.save(state, f"{path}.part")
        os.replace(f"{path}.part", path)  # all of the file, or none of it
    dist.barrier()


def load(path, ddp, optimizer, device):
    """Read on every rank; return the epoch to go on with."""
    state = torch.load(path, map_location=device)
    ddp.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1


# --8<-- [end:save]


def start(seed):
    torch.manual_seed(seed)
    ddp = DDP(nn.Linear(4, 1).to(device()))
    return ddp, torch.optim.Adam(ddp.parameters(), lr=0.1)


def train_epoch(ddp, optimizer, epoch):
    gen = torch.Generator().manual_seed(100 * epoch + dist.get_rank())
    optimizer.zero_grad()
    x = torch.randn(8, 4, generator=gen).to(device())
    ddp(x).square().mean().backward()
    optimizer.step()


# --8<-- [start:resume]
def resume(rank):
    with shared_folder() as folder:
        stop_and_go_on(rank, os.path.join(folder, "checkpoint.pt"))


def stop_and_go_on(rank, path):
    straight, optimizer = start(seed=0)
    for epoch in range(4):
        train_epoch(straight, optimizer, epoch)
        if epoch == 1:
            save(path, straight, optimizer, epoch)

    resumed, optimizer = start(seed=1)  # a new job: other weights, no state
    first = load(path, resumed, optimizer, device())
    for epoch in range(first, 4):
        train_epoch(resumed, optimizer, epoch)

    same = torch.equal(resumed.module.weight, straight.module.weight)
    print_in_turn(f"rank {rank}: resumed at epoch {first}, bit-equal: {same}")


# --8<-- [end:resume]


if __name__ == "__main__":
    launch(resume)
