"""DDP around a model whose halves lie on two devices."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:split]
class Split(nn.Module):
    """The front half on one device, the back half on another."""

    def __init__(self, first, second):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = first, second
        self.front = nn.Linear(4, 8, dtype=torch.float64).to(first)
        self.back = nn.Linear(8, 1, dtype=torch.float64).to(second)

    def forward(self, x):
        x = self.front(x.to(self.first)).relu()
        return self.back(x.to(self.second))


def two_devices(rank, world_size):
    """GPUs r and r + n of n ranks on this machine; or the CPU twice."""
    r = int(os.environ.get("LOCAL_RANK", rank))
    n = int(os.environ.get("LOCAL_WORLD_SIZE", world_size))
    if device().type == "cpu":
        return [device(), device()]
    if torch.cuda.device_count() < 2 * n:
        raise RuntimeError(f"{n} ranks here need {2 * n} GPUs")
    return [torch.device("cuda", r), torch.device("cuda", r + n)]


def gradients(rank, world_size):
    """Return both halves' gradients, from this rank's share of 8 samples."""
    ddp = DDP(Split(*two_devices(rank, world_size)))  # no device_ids
    x = torch.linspace(-1, 1, 32, dtype=torch.float64).view(8, 4)
    ddp(x.chunk(world_size)[rank]).square().mean().backward()
    return [p.grad.cpu() for p in ddp.module.parameters()]


# --8<-- [end:split]


# --8<-- [start:main]
def whole():
    """The same from all 8 samples at once, in one process."""
    model = Split("cpu", "cpu")
    x = torch.linspace(-1, 1, 32, dtype=torch.float64).view(8, 4)
    model(x).square().mean().backward()
    return [p.grad for p in model.parameters()]


def main(rank):
    grads = gradients(rank, dist.get_world_size())
    pairs = zip(grads, whole(), strict=True)
    same = all(torch.allclose(a, b, rtol=0, atol=1e-12) for a, b in pairs)
    if rank == 0:
        names = [f"{d.type}" for d in two_devices(0, dist.get_world_size())]
        print(f"front on {names[0]}, back on {names[1]}")
        print(f"gradients of one process: {same}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
