"""faulthandler writes, by itself, the line in which a rank waits."""

import contextlib
import faulthandler
import re
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from launch import launch, print_in_turn

DUMP = 1  # seconds; in a real job a few minutes
LIMIT = 2  # seconds until gloo gives up


# --8<-- [start:train]
def evaluate(group):
    loss = torch.ones(())
    dist.all_reduce(loss, group=group)


def save(group):
    dist.barrier(group)


def train(rank, group):
    if rank == 0:
        evaluate(group)  # waits for rank 1
    else:
        save(group)  # waits for rank 0


# --8<-- [end:train]


# --8<-- [start:dump]
def dump_stacks(path, seconds):
    """Write this rank's stacks to a file, every so many seconds."""
    log = path.open("w")  # faulthandler keeps it open
    faulthandler.dump_traceback_later(seconds, repeat=True, file=log)


# --8<-- [end:dump]


def watch(rank):
    group = dist.new_group(timeout=timedelta(seconds=LIMIT))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"stack-{rank}.txt")
        dump_stacks(path, DUMP)
        with contextlib.suppress(RuntimeError):  # after the timeout
            train(rank, group)
        faulthandler.cancel_dump_traceback_later()
        print_in_turn(f"rank {rank}: {innermost(path.read_text())}")


def innermost(stack):
    """Name the two innermost calls of a dump, without torch's log wrapper."""
    calls = re.findall(r'File ".*", line \d+ in (?!wrapper)(\w+)', stack)
    return " < ".join(calls[:2])


if __name__ == "__main__":
    launch(watch, backend="gloo")
