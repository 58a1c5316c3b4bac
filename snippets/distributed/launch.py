"""Run a function on several ranks of this machine, for small examples.

`python script.py` starts the ranks here; `torchrun script.py` has started
them already. They compute on GPUs over nccl where there is one for each rank,
and on the CPU over gloo elsewhere: two ranks need two processes, not two GPUs.
"""

import contextlib
import itertools
import multiprocessing
import os
import sys
import tempfile
import traceback
from datetime import timedelta

import torch
import torch._dynamo  # DDP needs it: import it once, not once a rank
import torch.distributed as dist

CALLS = itertools.count()  # under torchrun each call needs keys of its own


# --8<-- [start:launch]
def launch(fn, world_size=2, *args, timeout=30, backend=None):
    """Call `fn(rank, *args)` in `world_size` processes of one group.

    Several sizes, `(2, 4)`, are run one after the other; under torchrun there
    is one run, with as many ranks as torchrun started. A collective that waits
    longer than `timeout` seconds raises. When a rank raises, the others lose
    their connection to it and end as well; the first error is raised here.
    """
    if "RANK" in os.environ:
        store, rank, size = next(dist.rendezvous("env://"))
        store = dist.PrefixStore(f"launch{next(CALLS)}", store)
        return run_grouped(rank, size, store, timeout, backend, fn, args)
    sizes = (world_size,) if isinstance(world_size, int) else world_size
    for size in sizes:
        start_ranks(size, timeout, backend, fn, args)


def run_grouped(rank, size, store, timeout, backend, fn, args):
    torch.set_num_threads(1)
    gpus = torch.cuda.device_count() >= size
    backend = backend or ("nccl" if gpus else "gloo")
    if backend == "nccl":
        torch.cuda.set_device(rank)
    limit = timedelta(seconds=timeout)
    dist.init_process_group(
        backend, store=store, timeout=limit, rank=rank, world_size=size
    )
    together = dist.new_group(timeout=timedelta(minutes=30))
    fn(rank, *args)
    dist.barrier(together)  # not in the group where a rank may time out
    dist.destroy_process_group()


# --8<-- [end:launch]


# --8<-- [start:ranks]
def start_ranks(size, *args):
    # A fork has torch imported already, which a spawned process takes three
    # seconds to do; but it is safe only before threads and CUDA are in use.
    method = "fork" if sys.platform == "linux" else "spawn"
    context = multiprocessing.get_context(method)
    errors = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            context.Process(
                target=run_rank, args=(rank, size, folder, errors, args)
            )
            for rank in range(size)
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


def run_rank(rank, size, folder, errors, args):
    try:
        run_grouped(rank, size, dist.FileStore(f"{folder}/store", size), *args)
    except Exception:  # noqa: BLE001 - the parent raises it
        errors.put(f"on rank {rank}:\n{traceback.format_exc()}")
        sys.exit(1)


# --8<-- [end:ranks]


def device():
    """Return this rank's GPU where the group is nccl's, else the CPU."""
    if dist.get_backend() == "nccl":
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


@contextlib.contextmanager
def shared_folder():
    """Give all ranks of this machine one temporary folder."""
    with tempfile.TemporaryDirectory() as own:
        path = [own]
        dist.broadcast_object_list(path)
        yield path[0]
        dist.barrier()


def print_in_turn(text):
    """Print one rank's text after the other's, or the lines would mix."""
    for turn in range(dist.get_world_size()):
        if turn == dist.get_rank():
            print(text, flush=True)
        dist.barrier()
