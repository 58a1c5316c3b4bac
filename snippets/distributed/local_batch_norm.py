"""Under DDP each rank's batch norm sees that rank's samples only."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn


# --8<-- [start:local]
def make_batch():
    """Eight samples of one feature: 0, 1, … 7."""
    return torch.arange(8.0, device=device()).view(8, 1)


def local_statistics(x):
    """Mean and unbiased variance of the batch just seen by the layer."""
    layer = nn.BatchNorm1d(1, momentum=1.0).to(device())
    DDP(layer)(x)
    return layer.running_mean.item(), layer.running_var.item()


# --8<-- [end:local]


# --8<-- [start:whole]
def whole_statistics(x):
    """The same of all ranks' samples, from three sums."""
    x = x.double()  # float32 cancels where the mean is large
    n = torch.full_like(x[0], len(x))
    sums = torch.stack([n, x.sum(0), x.square().sum(0)])
    dist.all_reduce(sums)
    n, s, q = sums.flatten().tolist()
    return s / n, (q - s * s / n) / (n - 1)


# --8<-- [end:whole]


# --8<-- [start:compare]
def compare(rank):
    x = make_batch().chunk(dist.get_world_size())[rank]
    mean, variance = local_statistics(x)
    samples = x.flatten().int().tolist()
    print_in_turn(
        f"rank {rank}: {samples} mean {mean:.2f}, variance {variance:.2f}"
    )
    mean, variance = whole_statistics(x)
    if rank == 0:
        print(f"all 8: mean {mean:.2f}, variance {variance:.2f}", flush=True)


# --8<-- [end:compare]


if __name__ == "__main__":
    launch(compare)
