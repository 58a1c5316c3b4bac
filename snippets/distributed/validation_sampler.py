"""Validate on every rank with each sample counted exactly once."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, Sampler

from launch import device, launch


# --8<-- [start:sampler]
class ValidationSampler(Sampler):
    """Rank r's samples are r, r + W, r + 2W, …: none twice, none lost."""

    def __init__(self, n_samples, world_size, rank):
        self.indices = range(rank, n_samples, world_size)

    def __iter__(self):
        return iter(self.indices)

    def __len__(self):
        return len(self.indices)


# --8<-- [end:sampler]


# --8<-- [start:accuracy]
@torch.no_grad()
def accuracy(model, dataset, sampler):
    """Correct answers over samples, both summed over the ranks.

    `model` is `ddp.module`: ranks with a batch more or fewer run without
    waiting for each other in the loop. It comes back in training mode.
    """
    model.eval()
    for buffer in model.buffers():  # BatchNorm's: rank 0's for everyone
        dist.broadcast(buffer, 0)
    count = torch.zeros(2, dtype=torch.int64, device=device())
    for x, y in DataLoader(dataset, batch_size=2, sampler=sampler):
        correct = model(x.to(device())) == y.to(device())
        count += torch.tensor([correct.sum(), len(y)], device=device())
    dist.all_reduce(count)
    model.train()
    right, samples = count.tolist()
    return right / samples


# --8<-- [end:accuracy]


# --8<-- [start:main]
def main(rank):
    world_size = dist.get_world_size()
    targets = [1, 1, 0, 0, 0, 0, 0, 0, 0]
    dataset = [(0, y) for y in targets]  # the model answers 0: 7 of 9
    samplers = {
        "DistributedSampler": DistributedSampler(dataset, shuffle=False),
        "drop_last=True": DistributedSampler(
            dataset, shuffle=False, drop_last=True
        ),
        "ValidationSampler": ValidationSampler(9, world_size, rank),
    }
    for name, sampler in samplers.items():
        result = accuracy(nn.Identity(), dataset, sampler)
        if rank == 0:
            print(f"{name:18} accuracy {result:.4f}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
