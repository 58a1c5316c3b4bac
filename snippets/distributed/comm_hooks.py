"""What a communication hook sends, and how far off the gradient is."""

import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
    fp16_compress_hook,
)
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import (
    PowerSGDState,
    powerSGD_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:own]
def bf16_hook(group, bucket):
    """Average in bfloat16; the official one refuses to run without NCCL."""
    buffer = bucket.buffer()  # this bucket's gradients, flat
    small = (buffer / dist.get_world_size(group)).bfloat16()
    future = dist.all_reduce(small, group=group, async_op=True).get_future()
    return future.then(lambda done: buffer.copy_(done.value()[0]))


# --8<-- [end:own]


@contextlib.contextmanager
def sent():
    """List the bytes of each all-reduce that Python starts meanwhile."""
    sizes, all_reduce = [], dist.all_reduce

    def counted(tensor, *args, **kwargs):
        sizes.append(tensor.nbytes)
        return all_reduce(tensor, *args, **kwargs)

    dist.all_reduce = counted
    yield sizes
    dist.all_reduce = all_reduce


# --8<-- [start:measure]
def gradients(state, hook, steps=12):
    """Return the gradient of each step from the third, and bytes a step.

    The weights stay, so every step has the same gradient to send.
    """
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 10))
    ddp = DDP(net.to(device()))
    ddp.register_comm_hook(state, hook)
    gen = torch.Generator().manual_seed(7 + dist.get_rank())
    x = torch.randn(256, 64, generator=gen).to(device())
    grads = []
    for _ in range(steps):
        ddp.zero_grad()
        with sent() as sizes:
            nn.functional.cross_entropy(ddp(x), x[:, :10].argmax(1)).backward()
        flat = [p.grad.flatten() for p in ddp.parameters()]
        grads.append(torch.cat(flat))
    return torch.stack(grads[2:]), sum(sizes)


# --8<-- [end:measure]


# --8<-- [start:main]
def compare(rank):
    exact, everything = gradients(None, allreduce_hook)
    hooks = {
        "float16": (None, fp16_compress_hook),
        "bfloat16": (None, bf16_hook),
    }
    for r in (1, 4):
        options = {"matrix_approximation_rank": r, "start_powerSGD_iter": 2}
        hooks[f"PowerSGD {r}"] = (
            PowerSGDState(None, **options),
            powerSGD_hook,
        )
    if rank == 0:
        print("hook        sends  one step  mean of 10")
    for name, (state, hook) in hooks.items():
        grads, size = gradients(state, hook)
        pairs = (grads[0], exact[0]), (grads.mean(0), exact.mean(0))
        step, mean = ((a - b).norm() / b.norm() for a, b in pairs)
        if rank == 0:
            sends = f"1/{everything / size:.1f}"
            row = f"{name:11}{sends:>6}{step:10.2%}{mean:12.2%}"
            print(row, flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare)
