"""The same model and batch by every strategy: what a rank keeps and sends."""

import os

import torch.distributed as dist

from launch import launch
from measure_step import measure
from small_model import on_one_device, train
from strategy_ddp import with_ddp
from strategy_fsdp import with_fsdp
from strategy_pp import train_pipeline, with_pipeline
from strategy_tp import with_tp
from strategy_zero import with_zero

HEAD = """\
| Ranks | Strategy | Params | Grads | Adam | Calls | Sent |
| --- | --- | --- | --- | --- | --- | --- |"""

ALONE = {"none": (on_one_device, train, False)}

# --8<-- [start:strategies]
STRATEGIES = {  # set-up, training, does a rank get a share of the batch?
    "DDP": (with_ddp, train, True),
    "ZeRO-1": (with_zero, train, True),
    "FSDP2": (with_fsdp, train, True),
    "TP": (with_tp, train, False),
    "PP": (with_pipeline, train_pipeline, False),
}
# --8<-- [end:strategies]


def compare(rank):
    world_size = dist.get_world_size()
    for name, strategy in (ALONE if world_size == 1 else STRATEGIES).items():
        _, (params, grads, state, calls, _, sent) = measure(*strategy)
        sizes = [f"{n / 1024:.1f}" for n in (params, grads, state, sent)]
        sizes.insert(3, f"{calls:.0f}")
        row = [str(world_size), name, *sizes]
        if rank == 0:
            print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    if os.environ.get("RANK", "0") == "0":
        print(HEAD, flush=True)
    launch(compare, (1, 2, 4))
