"""Eight steps without a break, and eight with a restart after the fourth."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


def start(state=None):
    """A DDP model with dropout and its optimizer, new or from a checkpoint."""
    torch.manual_seed(0)
    layers = nn.Linear(16, 64), nn.Dropout(0.5), nn.Linear(64, 1)
    model = nn.Sequential(*layers).to(device())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    if state:
        model.load_state_dict(state[0])
        optimizer.load_state_dict(state[1])
    return DDP(model), optimizer


def take_step(ddp, optimizer):
    optimizer.zero_grad()
    x = torch.ones(8, 16, device=device())
    ddp(x).square().mean().backward()
    optimizer.step()


def compare(rank, train):
    """Train with and without a break; print how far apart the weights are."""
    whole, _ = train(range(8))
    resumed, _ = train(range(4, 8), train(range(4)))
    off = max((whole[k] - resumed[k]).abs().max().item() for k in whole)
    if rank == 0:
        print(f"largest difference after the restart: {off:.4f}")


def without_dropout(steps, state=None):
    """Nothing random: equal, whatever the seed."""
    ddp, optimizer = start(state)
    ddp.eval()
    for _ in steps:
        take_step(ddp, optimizer)
    return ddp.module.state_dict(), optimizer.state_dict()


if __name__ == "__main__":
    launch(compare, 2, without_dropout)
