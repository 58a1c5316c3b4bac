"""Start a function on several ranks of this machine, for small examples.

The ranks compute on the CPU and talk over gloo, GPU or not: two ranks need
two processes, not two GPUs. For training, use torchrun.
"""

import multiprocessing
import sys
import tempfile
import traceback
from datetime import timedelta

import torch
import torch._dynamo  # DDP needs it: import it once, not once a rank
import torch.distributed as dist


# --8<-- [start:launch]
def launch(fn, world_size=2, *args, timeout=30):
    """Call `fn(rank, *args)` in `world_size` processes of one gloo group.

    A collective that waits longer than `timeout` seconds raises. When a rank
    raises, the others lose their connection to it and end as well; the first
    error is raised here.
    """
    # A fork has torch imported already, which a spawned process takes three
    # seconds to do; but it is safe only before threads and CUDA are in use.
    method = "fork" if sys.platform == "linux" else "spawn"
    context = multiprocessing.get_context(method)
    errors = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        setup = (f"file://{folder}/store", timedelta(seconds=timeout))
        ranks = [
            context.Process(
                target=run_rank,
                args=(rank, world_size, setup, errors, fn, args),
            )
            for rank in range(world_size)
        ]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()
    codes = [process.exitcode for process in ranks]
    if any(codes):
        raise RuntimeError(
            f"exit codes {codes}" if errors.empty() else errors.get()
        )


def run_rank(rank, world_size, setup, errors, fn, args):
    torch.set_num_threads(1)
    try:
        dist.init_process_group("gloo", *setup, world_size, rank)
        together = dist.new_group(timeout=timedelta(minutes=30))
        fn(rank, *args)
        dist.barrier(together)  # not in the group where a rank may time out
        dist.destroy_process_group()
    except Exception:  # noqa: BLE001 - the parent raises it
        errors.put(f"on rank {rank}:\n{traceback.format_exc()}")
        sys.exit(1)


# --8<-- [end:launch]


def print_in_turn(text):
    """Print one rank's text after the other's, or the lines would mix."""
    for turn in range(dist.get_world_size()):
        if turn == dist.get_rank():
            print(text, flush=True)
        dist.barrier()
