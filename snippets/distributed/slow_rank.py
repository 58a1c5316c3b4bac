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
    dist.barrier(group)  # with every other collective's limit


# --8<-- [end:wrong]


# --8<-- [start:right]
def patient_group():
    """Once, at the start, on every rank."""
    limit = timedelta(hours=2)
    return dist.new_group(timeout=limit, backend="gloo")


def right(rank, patient):
    evaluate(rank)
    dist.barrier(patient)


# --8<-- [end:right]


def outcome(rank, wait, group):
    """Return what becomes of the wait on this rank."""
    try:
        wait(rank, group)
    except RuntimeError as error:
        return str(error).split("] ")[-1]
    return "through"


def main(rank):
    groups = dist.new_group(timeout=LIMIT), patient_group()
    for wait, group in zip((wrong, right), groups, strict=True):
        text = outcome(rank, wait, group)
        if rank == 1:
            print(f"{wait.__name__}, rank 1: {text}", flush=True)


if __name__ == "__main__":
    launch(main, backend="gloo")
