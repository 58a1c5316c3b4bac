"""What dist.rendezvous returns, alone and under torchrun."""

import multiprocessing
import os
import tempfile

import torch.distributed as dist
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

NAMES = (
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "TORCHELASTIC_USE_AGENT_STORE",
    "TORCHELASTIC_RESTART_COUNT",
)

DIFFERS = {"MASTER_ADDR": "this machine", "MASTER_PORT": "a free port"}


# --8<-- [start:look]
def look(url, rank=-1, world_size=-1):
    """Describe the triple that rendezvous yields."""
    store, rank, size = next(dist.rendezvous(url, rank, world_size))
    listens = "server=TCPServer" in repr(store)
    kind = type(store).__name__
    return f"({kind}, {rank}, {size}), listens: {listens}"


def look_under_torchrun():
    there = {n: os.environ[n] for n in NAMES if n in os.environ}
    return there, look("env://")


# --8<-- [end:look]


# --8<-- [start:main]
def main():
    with tempfile.TemporaryDirectory() as folder:
        print(f"file:// {look(f'file://{folder}/store', 0, 2)}")
    print(f"tcp://  {look('tcp://localhost:0', 0, 1)}")
    # What torchrun does, with a function in place of a script.
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=2,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        run_id="demo",
        max_restarts=0,
        start_method=multiprocessing.get_start_method(),
    )
    report(elastic_launch(config, look_under_torchrun)())


# --8<-- [end:main]


def report(ranks):
    for rank, (variables, found) in sorted(ranks.items()):
        print(f"\nenv:// under torchrun, rank {rank}: {found}")
        for name, value in variables.items():
            print(f"  {name} = {DIFFERS.get(name, value)}")


if __name__ == "__main__":
    if "RANK" not in os.environ:
        main()
    elif os.environ["RANK"] == "0":
        report({0: look_under_torchrun()})
