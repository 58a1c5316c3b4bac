"""Count the buckets that DDP averages in a step, with a communication hook."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:count]
def make_model():
    # 2 MiB in 16 parameters
    layers = [nn.Linear(256, 256) for _ in range(8)]
    return nn.Sequential(*layers).to(device())


def count_buckets(steps=3, **options):
    """How many buckets does DDP average?"""
    counts = []
    ddp = DDP(make_model(), **options)

    # DDP looks for the name `bucket`.
    def hook(state, bucket):
        counts[-1] += 1
        # What DDP does without a hook:
        return allreduce_hook(None, bucket)

    ddp.register_comm_hook(None, hook)
    for _ in range(steps):
        counts.append(0)
        ddp(torch.ones(2, 256, device=device())).sum().backward()
    return counts


# --8<-- [end:count]


# --8<-- [start:main]
def main(rank):
    cases = {
        "default": {},
        "bucket_cap_mb=0.5": {"bucket_cap_mb": 0.5},
        "bucket_cap_mb=1e-6": {"bucket_cap_mb": 1e-6},
        "0.5, static_graph": {"bucket_cap_mb": 0.5, "static_graph": True},
        "0.5, find_unused": {
            "bucket_cap_mb": 0.5,
            "find_unused_parameters": True,
        },
    }
    for name, options in cases.items():
        counts = count_buckets(**options)
        if dist.get_rank() == 0:
            print(f"{name:18} {counts}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
