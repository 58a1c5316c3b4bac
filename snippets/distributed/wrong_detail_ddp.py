"""TORCH_DISTRIBUTED_DEBUG=DETAIL and DDP over gloo: the process dies."""

import os

import torch
import torch._dynamo
import torch.distributed as dist
from torch import nn
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from torch.nn.parallel import DistributedDataParallel as DDP


# --8<-- [start:main]
def train():
    dist.init_process_group("gloo")
    print("wrapping the model", flush=True)
    ddp = DDP(nn.Linear(4, 1))
    ddp(torch.ones(2, 4)).sum().backward()
    print("step passed", flush=True)


def main():
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
    dist.set_debug_level_from_env()  # read at import
    torchrun(train)


# --8<-- [end:main]


def torchrun(entry):
    """Start one rank as torchrun does; print what its report says of it."""
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=1,
        max_restarts=0,
        run_id="detail",
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        start_method="fork",  # a script would import torch again
        monitor_interval=0.1,
    )
    try:
        elastic_launch(config, entry)()
    except ChildFailedError as error:
        shown = ("exitcode", "error_file", "traceback")
        lines = [line.strip() for line in str(error).splitlines()]
        print(*(s for s in lines if s.startswith(shown)), sep="\n")


if __name__ == "__main__":
    main()
