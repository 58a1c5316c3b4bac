"""Change a model after DDP has wrapped it, and see whether ranks agree."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch

# --8<-- [start:changes]
CHANGES = {  # what is done to the model inside DDP
    "nothing": lambda model: None,
    "layer replaced": lambda model: model.__setitem__(2, nn.Linear(3, 2)),
    "layer appended": lambda model: model.append(nn.Linear(2, 2)),
    "layer frozen": lambda model: model[0].requires_grad_(False),
    "layer unfrozen": lambda model: model[3].requires_grad_(True),
    ".to(torch.float64)": lambda model: model.to(torch.float64),
    "storage replaced": lambda model: model._apply(torch.clone),
}
# --8<-- [end:changes]


def make_model():
    torch.manual_seed(0)
    layers = [nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2), nn.Linear(2, 2)]
    layers[3].requires_grad_(False)
    return nn.Sequential(*layers).to(device())


# --8<-- [start:train]
def train(change, steps=2):
    """Return how far parameters are from the ranks' mean, and the error."""
    ddp = DDP(make_model())
    change(ddp.module)
    ddp.module.to(device())
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(dist.get_rank())
    error = "no error"
    for step in range(steps):
        x = torch.randn(8, 4, generator=gen)
        x = x.to(next(ddp.parameters()))  # its dtype, its device
        optimizer.zero_grad()
        try:
            ddp(x).square().mean().backward()
        except RuntimeError as raised:
            error = f"step {step}: {str(raised).partition(' before ')[0]}"
            break
        optimizer.step()
    apart = torch.cat([p.detach().flatten() for p in ddp.parameters()])
    total = apart.clone()
    dist.all_reduce(total)
    apart = (apart - total / dist.get_world_size()).abs().max()
    dist.all_reduce(apart, dist.ReduceOp.MAX)
    return apart.item(), error


# --8<-- [end:train]


# --8<-- [start:main]
def main(rank):
    for name, change in CHANGES.items():
        apart, error = train(change)
        if rank == 0:
            print(f"{name:18} apart {apart:.4f}  {error}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
