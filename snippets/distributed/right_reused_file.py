"""A new name for each run's file; a clean end deletes it."""

import os
import tempfile

import torch.distributed as dist

from bare_ranks import BareRanks, shows
from wrong_reused_file import join, killed


def join_and_leave(rank, path):
    text = join(rank, path)
    dist.barrier()
    dist.destroy_process_group()
    return text


# --8<-- [start:main]
def main():
    with tempfile.TemporaryDirectory() as folder:
        first, second = f"{folder}/run-1", f"{folder}/run-2"
        BareRanks(killed, 2).call(first)
        print(f"left behind: {os.listdir(folder)}")
        print(*BareRanks(join_and_leave, 2).call(second), sep="\n")


# --8<-- [end:main]


if __name__ == "__main__":
    if shows():
        main()
