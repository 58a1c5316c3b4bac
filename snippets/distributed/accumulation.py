"""Four micro-batches, one all-reduce: the gradient of the large batch."""

from contextlib import nullcontext

import torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:accumulate]
def accumulate(ddp, batches):
    """Add up the mean gradient of the batches; one all-reduce, at the end."""
    for number, (x, y) in enumerate(batches, 1):
        last = number == len(batches)
        with nullcontext() if last else ddp.no_sync():
            loss = mse_loss(ddp(x), y)  # in no_sync, as backward is
            (loss / len(batches)).backward()


# --8<-- [end:accumulate]


# --8<-- [start:loop]
def train(ddp, optimizer, loader, k):
    """Update after every k batches, and after those that are left over."""
    for done, (x, y) in enumerate(loader):
        group = min(k, len(loader) - done // k * k)
        last = done % k == group - 1
        with nullcontext() if last else ddp.no_sync():
            (mse_loss(ddp(x), y) / group).backward()
        if last:  # clip here: only now are the gradients averaged
            optimizer.step()
            optimizer.zero_grad()


# --8<-- [end:loop]


def in_one_go(ddp, batches):
    x, y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    mse_loss(ddp(x), y).backward()


def without_no_sync(ddp, batches):
    for x, y in batches:
        (mse_loss(ddp(x), y) / len(batches)).backward()


def not_divided(ddp, batches):
    for x, y in batches:
        mse_loss(ddp(x), y).backward()


# --8<-- [start:count]
def count(calls, bucket):
    """Note the size of each all-reduce, then do what DDP does anyway."""
    calls.append(bucket.buffer().numel())
    return allreduce_hook(None, bucket)


def gradient(accumulation, rank):
    """Return how often DDP communicated, and the gradient of the weight."""
    torch.manual_seed(0)
    ddp, calls = DDP(nn.Linear(8, 3).to(device())), []
    ddp.register_comm_hook(calls, count)
    torch.manual_seed(1 + rank)
    x, y = torch.randn(32, 8).to(device()), torch.randn(32, 3).to(device())
    accumulation(ddp, list(zip(x.split(8), y.split(8), strict=True)))
    return len(calls), ddp.module.weight.grad


# --8<-- [end:count]


# --8<-- [start:main]
def compare(rank):
    _, whole = gradient(in_one_go, rank)
    if rank == 0:
        print("                 all-reduces  gradient")
    for way in (in_one_go, without_no_sync, accumulate, not_divided):
        times, grad = gradient(way, rank)
        ratio = (grad * whole).sum() / whole.square().sum()
        if rank == 0:
            print(f"{way.__name__:16}{times:12}{ratio:10.3f}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare)
