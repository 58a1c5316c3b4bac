"""faulthandler writes, by itself, the line in which a rank waits."""

import contextlib
import faulthandler
import re
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

from launch import launch, print_in_turn

DUMP = 1  # seconds; in a real job a few minutes
LIMIT = 2  # seconds until gloo gives up


# --8<-- [start:train]
def evaluate(group):
    dist.all_reduce(torch.ones(()), group=group)


def save(group):
    dist.barrier(group)


def train(rank, group):
    if rank == 0:
        evaluate(group)  # waits for rank 1
    else:
        save(group)  # waits for rank 0


# --8<-- [end:train]


# --8<-- [start:watch]
def watch(rank):
    group = dist.new_group(timeout=timedelta(seconds=LIMIT))
    with tempfile.TemporaryFile("w+") as log:  # by default it is stderr
        faulthandler.dump_traceback_later(DUMP, file=log)
        with contextlib.suppress(RuntimeError):  # after the timeout
            train(rank, group)
        faulthandler.cancel_dump_traceback_later()
        log.seek(0)
        print_in_turn(f"rank {rank} waits in {innermost(log.read())}")


# --8<-- [end:watch]


def innermost(stack):
    """Name the two innermost calls of a dump, without torch's log wrapper."""
    frame = r'File "(?:.*/)?(.*)", line \d+ in (?!wrapper)(\w+)'
    calls = [f"{call} ({file})" for file, call in re.findall(frame, stack)]
    return " < ".join(calls[:2])


if __name__ == "__main__":
    launch(watch, backend="gloo")
