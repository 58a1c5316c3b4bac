"""Restarted ranks must not find the store keys of those that died."""

import multiprocessing
import os
from datetime import timedelta

import torch.distributed as dist

CONTEXT = multiprocessing.get_context("fork")


def attempt(port, prefix, ranks, limit=60):
    """Start these ranks of two together; each ends as if it had crashed."""
    said = CONTEXT.SimpleQueue()
    members = [
        CONTEXT.Process(target=member, args=(rank, port, prefix, said, limit))
        for rank in ranks
    ]
    for process in members:
        process.start()
    for process in members:
        process.join()
    print(*sorted(said.get() for _ in members), sep="\n")


# --8<-- [start:member]
def member(rank, port, prefix, said, limit):
    store = dist.PrefixStore(prefix, dist.TCPStore("localhost", port))
    try:
        dist.ProcessGroupGloo(store, rank, 2, timedelta(seconds=limit))
        said.put(f"  rank {rank} joined")
    except RuntimeError as error:
        said.put(f"  rank {rank}: {str(error).split(' with ')[0]}")
    os._exit(1)


# --8<-- [end:member]


# --8<-- [start:wrong]
def wrong(port):
    attempt(port, "job", ranks=[0, 1])
    attempt(port, "job", ranks=[0], limit=0.2)  # rank 1 is late


# --8<-- [end:wrong]


# --8<-- [start:right]
def right(port):
    attempt(port, "attempt 0", ranks=[0, 1])
    attempt(port, "attempt 1", ranks=[0, 1])


# --8<-- [end:right]


if __name__ == "__main__":
    agent = dist.TCPStore("localhost", 0, is_master=True)  # outlives them
    print("the same keys again")
    wrong(agent.port)
    print("keys of their own for each attempt")
    right(agent.port)
