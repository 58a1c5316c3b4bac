"""When does DDP start an all-reduce? Gradients and buckets in their order."""

import torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:model]
class Shuffled(nn.Module):
    """Six layers of 256 KiB, not called in the order of registration."""

    def __init__(self):
        super().__init__()
        for name in "abcdef":
            self.add_module(name, nn.Linear(256, 256, bias=False))

    def forward(self, x):
        for name in "dafbec":
            x = getattr(self, name)(x)
        return x


# --8<-- [end:model]


# --8<-- [start:events]
def record(steps=2, **options):
    """Per step: each gradient as it is ready, each [bucket] as it starts."""
    ddp = DDP(Shuffled().to(device()), bucket_cap_mb=0.5, **options)
    names = {p: name[0] for name, p in ddp.module.named_parameters()}
    events, result = [], []

    def on_gradient(parameter):  # written to .grad; DDP comes right after
        events.append(names[parameter])

    def on_bucket(state, bucket):
        inside = " ".join(names[p] for p in bucket.parameters())
        events.append(f"[{inside}]")
        return allreduce_hook(None, bucket)

    for parameter in names:
        parameter.register_post_accumulate_grad_hook(on_gradient)
    ddp.register_comm_hook(None, on_bucket)
    for _ in range(steps):
        ddp(torch.ones(2, 256, device=device())).sum().backward()
        result.append(" ".join(events))
        events.clear()
    return result


# --8<-- [end:events]


# --8<-- [start:main]
def main(rank):
    plain = record()
    unused = record(steps=1, find_unused_parameters=True)
    if rank == 0:
        print("registered   a b c d e f")
        print("called       d a f b e c")
        print(f"step 0       {plain[0]}")
        print(f"step 1       {plain[1]}")
        print(f"find_unused  {unused[0]}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
