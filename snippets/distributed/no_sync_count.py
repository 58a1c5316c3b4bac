"""no_sync saves communication only if the forward pass is inside it."""

import contextlib

import torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch

MICRO_BATCHES = 4


def last(step):
    return step == MICRO_BATCHES - 1


# --8<-- [start:wrong]
def wrong(ddp, x):
    for step in range(MICRO_BATCHES):
        loss = ddp(x).sum() / MICRO_BATCHES
        with contextlib.nullcontext() if last(step) else ddp.no_sync():
            loss.backward()


# --8<-- [end:wrong]


# --8<-- [start:right]
def right(ddp, x):
    for step in range(MICRO_BATCHES):
        with contextlib.nullcontext() if last(step) else ddp.no_sync():
            loss = ddp(x).sum() / MICRO_BATCHES
            loss.backward()


# --8<-- [end:right]


def count(accumulate):
    """Return how many all-reduces one accumulated step makes."""
    ddp, calls = DDP(nn.Linear(4, 1).to(device())), []

    def hook(state, bucket):
        calls.append(bucket.index())
        return default_hooks.allreduce_hook(state, bucket)

    ddp.register_comm_hook(None, hook)
    accumulate(ddp, torch.ones(2, 4, device=device()))
    return len(calls)


def main(rank):
    outside, inside = count(wrong), count(right)
    if rank == 0:
        print(f"forward outside no_sync: {outside} all-reduces")
        print(f"forward inside no_sync: {inside}", flush=True)


if __name__ == "__main__":
    launch(main)
