"""The store's file of a run that was killed, used for the next run."""

import os
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

from bare_ranks import BareRanks, shows


# --8<-- [start:join]
def join(rank, path, seconds=30):
    file, limit = f"file://{path}", timedelta(seconds=seconds)
    dist.init_process_group("gloo", file, limit, rank=rank, world_size=2)
    total = torch.tensor(rank + 1)
    dist.all_reduce(total)
    return f"rank {rank}: sum {total}"


def killed(rank, path):
    try:
        join(rank, path)
    finally:
        os._exit(1)  # nobody is left to delete the file


# --8<-- [end:join]


# --8<-- [start:main]
def start_again():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/store"
        BareRanks(killed, 2).call(path)
        print(f"left behind: {os.listdir(folder)}", flush=True)
        # Rank 1 is up before rank 0 and reads the dead rank 0's address.
        join(1, path, seconds=0.2)


# --8<-- [end:main]


def run():
    try:
        start_again()
    except RuntimeError as error:  # then C++ lines and a port
        print(f"RuntimeError: {str(error).split(' with')[0]}", flush=True)
        os._exit(0)


if __name__ == "__main__":
    if shows():
        run()
