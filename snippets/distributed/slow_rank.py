"""Rank 0 is busy for longer than the others will wait for it."""

import time
from datetime import timedelta

import torch.distributed as dist

from launch import launch

LIMIT = timedelta(seconds=1)  # gloo's default is 30 minutes, NCCL's 10
BUSY = 2  # seconds


def evaluate(rank):
    """What rank 0 alone does: validate, upload, write a large checkpoint."""
    if rank == 0:
        time.sleep(BUSY)


# --8<-- [start:wrong]
def wrong(rank, group):
    evaluate(rank)
    dist.barrier(group)  # with the time limit of every other collective


# --8<-- [end:wrong]


# --8<-- [start:right]
def right(rank, group):
    patient = dist.new_group(timeout=timedelta(hours=2))  # once, at the start
    evaluate(rank)
    dist.barrier(patient)


# --8<-- [end:right]


def outcome(rank, wait):
    """Return what becomes of the wait on this rank."""
    group = dist.new_group(timeout=LIMIT)
    try:
        wait(rank, group)
    except RuntimeError as error:
        return str(error).split("] ")[-1]
    return "through"


def main(rank):
    for wait in (wrong, right):
        text = outcome(rank, wait)
        if rank == 1:
            print(f"{wait.__name__}, rank 1: {text}", flush=True)


if __name__ == "__main__":
    launch(main, backend="gloo")
