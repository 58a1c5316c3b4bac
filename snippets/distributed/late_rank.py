"""Rank 1 begins late: where does rank 0 wait, and for how long?"""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch, shared_folder


# --8<-- [start:late]
def late(rank, store):
    """Return [(number, event), ...]; the store numbers them in order."""
    events = []

    def note(event):
        events.append((store.add("clock", 1), f"rank {rank}: {event}"))

    def on_gradient(parameter):
        note("gradient computed")
        store.set(f"rank {rank}", "has its gradient")

    ddp = DDP(nn.Linear(1, 1, bias=False))
    ddp.module.weight.register_post_accumulate_grad_hook(on_gradient)
    if rank == 1:
        store.wait(["rank 0"])  # late: rank 0 is far into its backward
    loss = ddp(torch.ones(1, 1)).sum()
    note("forward is over")
    loss.backward()
    for turn in range(dist.get_world_size()):
        if turn == rank:
            note("backward is over")
        dist.barrier()
    return events


# --8<-- [end:late]


# --8<-- [start:limit]
def limited(rank):
    """Return what rank 0 waits for in vain, and for how long."""
    group = dist.new_group(timeout=timedelta(seconds=2))
    dist.barrier()  # both are here: the limit is for backward alone
    ddp = DDP(nn.Linear(1, 1), process_group=group)
    try:
        if rank == 0:  # the others never come
            ddp(torch.ones(1, 1)).sum().backward()
    except RuntimeError as error:
        return str(error).split("] ")[-1]


# --8<-- [end:limit]


# --8<-- [start:alone]
def validate(rank, x):
    """Rank 0 alone computes a loss; the others wait, for hours if need be."""
    ddp = DDP(nn.BatchNorm1d(1)).eval()
    patient = dist.new_group(timeout=timedelta(hours=2))  # on every rank
    loss = None
    if rank == 0:
        with torch.no_grad():
            loss = ddp.module(x).square().mean().item()  # not ddp(x)
    dist.barrier(patient)
    return loss


# --8<-- [end:alone]


def main(rank):
    with shared_folder() as folder:
        world_size = dist.get_world_size()
        store = dist.FileStore(f"{folder}/events", world_size)
        everybody = [None] * world_size
        dist.all_gather_object(everybody, late(rank, store))
        del store
    loss = validate(rank, torch.ones(4, 1))
    error = limited(rank)
    if rank == 0:
        for number, event in sorted(sum(everybody, [])):
            print(number, event)
        print(f"rank 0 validates alone: loss {loss:.2f}")
        print(f"limit of 2 s: {error}", flush=True)


if __name__ == "__main__":
    launch(main, backend="gloo")
