"""Processes that have a rank but no process group yet.

They start before this process has threads, and wait for their arguments; so
it may open a TCPStore, whose server is a thread, and tell them the port.
"""

import multiprocessing
import os
import sys
import traceback

import torch

# A fork has torch imported already, which a spawned process takes three
# seconds to do; but it is safe only before threads are in use.
CONTEXT = multiprocessing.get_context(
    "fork" if sys.platform == "linux" else "spawn"
)


class BareRanks:
    """`world_size` processes that will call `fn(rank, *args)` once."""

    def __init__(self, fn, world_size):
        self.pipes = []
        for rank in range(world_size):
            ours, theirs = CONTEXT.Pipe()
            CONTEXT.Process(target=serve, args=(rank, theirs, fn)).start()
            theirs.close()  # the rank has the only one: its death is an EOF
            self.pipes.append(ours)

    def call(self, *args):
        """Return what each rank returned, None where one died without a word.

        Raises RuntimeError with the traceback of the first rank that raised.
        """
        for pipe in self.pipes:
            pipe.send(args)
        return [receive(pipe) for pipe in self.pipes]


def serve(rank, pipe, fn):
    torch.set_num_threads(1)
    try:
        args = pipe.recv()
    except EOFError:
        return  # this process's parent has died
    try:
        answer = True, fn(rank, *args)
    except Exception:  # noqa: BLE001 - the parent raises it
        answer = False, f"on rank {rank}:\n{traceback.format_exc()}"
    pipe.send(answer)


def receive(pipe):
    try:
        fine, answer = pipe.recv()
    except (EOFError, ConnectionError):
        return None
    if not fine:
        raise RuntimeError(answer)
    return answer


def shows():
    """Tell whether this process prints: under torchrun only rank 0 does."""
    return os.environ.get("RANK", "0") == "0"
