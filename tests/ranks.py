"""Run a function on several ranks, for tests.

    def work(rank, x):              # module-level, so that it can be pickled
        dist.all_reduce(x)
        return x

    run_ranks(work, 2, torch.ones(3))    # [what rank 0 returned, rank 1, ...]

Each call is a new gloo group on the CPU. Ranks are forked from a server that
has torch imported already, so two of them start in about a tenth of a second.
"""

import contextlib
import functools
import multiprocessing
import os
import pickle
import signal
import tempfile
import time
import traceback
from datetime import timedelta
from multiprocessing.connection import wait

CONTEXT = multiprocessing.get_context("forkserver")
# DDP imports torch._dynamo in its constructor: two seconds if it is not here.
PRELOAD = "torch torch.distributed torch._dynamo torch.nn.parallel pytest"
CONTEXT.set_forkserver_preload(PRELOAD.split())
COLD_START = 180  # seconds for those imports, once, on a machine that is busy


class RankFailed(RuntimeError):
    """A rank raised, died or went over the time limit."""


def run_ranks(fn, world_size, *args, timeout=40):
    """Return `[fn(0, *args), fn(1, *args), …]`, each run in its own process.

    The default process group is initialised before `fn` and destroyed after.
    Raises RankFailed with the traceback of the rank that raised, or when the
    ranks are not done after `timeout` seconds; no process outlives the call.
    """
    task = pickle.dumps((fn, args))
    _warm_up()
    ranks, pipes, answers = [], {}, {}
    with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
        deadline = time.monotonic() + timeout
        setup = (world_size, f"file://{folder}/store", timeout)
        try:
            for rank in range(world_size):
                pipe, sender = CONTEXT.Pipe(duplex=False)
                process = CONTEXT.Process(
                    target=_rank, args=(rank, setup, task, sender)
                )
                process.start()
                sender.close()  # the rank holds the only one: death is an EOF
                ranks.append(process)
                pipes[pipe] = rank
            while pipes:
                ready = wait(pipes, max(0, deadline - time.monotonic()))
                if not ready:
                    late = ", ".join(str(rank) for rank in pipes.values())
                    raise RankFailed(f"not over in {timeout} s: rank {late}")
                for pipe in ready:
                    rank = pipes.pop(pipe)
                    answers[rank] = _receive(pipe, ranks[rank])
                failed = {
                    r: text for r, (ok, text) in answers.items() if not ok
                }
                if failed:  # the others wait for it in vain
                    texts = (
                        f"\nrank {r}:\n{failed[r]}" for r in sorted(failed)
                    )
                    raise RankFailed("".join(texts))
            for process in ranks:
                process.join(2)
        finally:
            for process in ranks:
                _kill(process.pid)
            for process in ranks:
                process.join()
    return [answers[rank][1] for rank in range(world_size)]


@functools.cache
def _warm_up():
    """Pay for the server's imports before any clock runs."""
    process = CONTEXT.Process(target=int)
    process.start()
    process.join(COLD_START)
    if process.is_alive():
        process.kill()
        raise RankFailed(f"the fork server was not up in {COLD_START} s")


def _receive(pipe, process):
    try:
        return pickle.loads(pipe.recv_bytes())
    except EOFError:
        process.join(5)
        return False, f"died without a word, exit code {process.exitcode}"


def _kill(pid):
    """End a rank and whatever it started (data-loader workers, say)."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


def _rank(rank, setup, task, sender):
    os.setpgid(0, 0)
    world_size, store, timeout = setup
    signal.alarm(int(timeout) + 10)  # ends this even if the parent was killed
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    try:
        limit = timedelta(seconds=timeout + 5)  # the parent's comes first
        dist.init_process_group("gloo", store, limit, world_size, rank)
        fn, args = pickle.loads(task)
        answer = pickle.dumps((True, fn(rank, *args)))
        if dist.is_initialized():
            dist.barrier()  # without it, some exits abort: "terminate called"
            dist.destroy_process_group()
    except BaseException:  # noqa: BLE001 - whatever it is, the parent shows it
        answer = pickle.dumps((False, traceback.format_exc()))
    sender.send_bytes(answer)  # bytes: a shared tensor dies with this process
