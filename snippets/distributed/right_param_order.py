"""The same with the names in one order on every rank."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn


# --8<-- [start:model]
class Model(nn.Module):
    def __init__(self, names, sizes):
        super().__init__()
        for name in names:
            weight = torch.full((sizes[name],), float("ab".index(name) + 1))
            self.register_parameter(name, nn.Parameter(weight))

    def forward(self, x):
        return (x * self.a).sum() + 10 * (x * self.b).sum()


# --8<-- [end:model]


# --8<-- [start:main]
def train(rank):
    names = sorted({"b", "a"})  # the same order on every rank
    ddp = DDP(Model(names, {"a": 3, "b": 3}).to(device()))
    ddp(torch.ones(3, device=device())).backward()
    a, b = ddp.module.a, ddp.module.b
    values = f"a = {a[0]:.0f}, b = {b[0]:.0f}"
    grads = f"gradients {a.grad[0]:.1f}, {b.grad[0]:.1f}"
    print_in_turn(f"rank {rank}: {values}, {grads}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train)
