"""What static_graph, find_unused and gradient_as_bucket_view change."""

from collections import Counter

import torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils._python_dispatch import TorchDispatchMode

from launch import device, launch


class Spare(nn.Module):
    """Two layers of 256 KiB; the second is used or left out."""

    def __init__(self, use):
        super().__init__()
        self.body = nn.Linear(256, 256, bias=False)
        self.spare = nn.Linear(256, 256, bias=False)
        self.use = use

    def forward(self, x):
        x = self.body(x)
        return self.spare(x) if self.use else x


# --8<-- [start:collectives]
class Calls(TorchDispatchMode):
    """Count the calls of each operation, collectives among them."""

    def __init__(self):
        super().__init__()
        self.count = Counter()

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        self.count[op] += 1
        return op(*args, **(kwargs or {}))


def collectives(use, **options):
    """Count all-reduces and broadcasts in each of four steps."""
    ddp = DDP(Spare(use).to(device()), **options)
    reduced, broadcast = [], []
    for _ in range(4):
        with Calls() as calls:
            ddp(torch.ones(2, 256, device=device())).sum().backward()
        reduced.append(calls.count[torch.ops.c10d.allreduce_.default])
        broadcast.append(calls.count[torch.ops.c10d.broadcast_.default])
    return reduced, broadcast


# --8<-- [end:collectives]


# --8<-- [start:memory]
def memory(view):
    """MiB that gradients and buckets take together, for a model of 0.5 MiB."""
    ddp = DDP(Spare(True).to(device()), gradient_as_bucket_view=view)
    storages = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()

    def hook(state, bucket):
        keep(bucket.buffer())
        return allreduce_hook(None, bucket)

    ddp.register_comm_hook(None, hook)
    ddp(torch.ones(2, 256, device=device())).sum().backward()
    for parameter in ddp.parameters():
        keep(parameter.grad)
    return sum(storages.values()) / 2**20


# --8<-- [end:memory]


# --8<-- [start:main]
def main(rank):
    unused, static = {"find_unused_parameters": True}, {"static_graph": True}
    rows = {
        "all used": (True, {}),
        "all used, find_unused": (True, unused),
        "one unused, find_unused": (False, unused),
        "one unused, static_graph": (False, static),
    }
    if rank == 0:
        print("                          all-reduces   broadcasts")
    for name, (use, options) in rows.items():
        reduced, broadcast = collectives(use, **options)
        if rank == 0:
            print(f"{name:24}  {reduced}  {broadcast}", flush=True)
    for view in (False, True):
        mib = memory(view)
        if rank == 0:
            print(f"gradient_as_bucket_view={view}: {mib} MiB", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
