"""The statistics are summed over the ranks, their gradient is not."""

import torch
import torch.distributed as dist
from torch import nn

from launch import launch
from sync_bn_compare import errors


# --8<-- [start:main]
class SummedStatistics(nn.BatchNorm1d):
    def forward(self, x):
        count = x.new_full((1, x.size(1)), len(x))
        sums = torch.stack([x.sum(0), x.square().sum(0)])
        sums = torch.cat([sums, count])
        dist.all_reduce(sums)  # autograd takes it for the identity
        total, squares, n = sums
        mean = total / n
        var = squares / n - mean.square()
        x = (x - mean) / (var + self.eps).sqrt()
        return x * self.weight + self.bias


# --8<-- [end:main]


def measure(rank):
    output, grad, weight_grad, _ = errors(SummedStatistics(4))
    if rank == 0:
        print(f"output off by {output:.3f}")
        print(f"input.grad off by {grad:.3f}", flush=True)
        print(f"weight.grad off by {weight_grad:.3f}", flush=True)


if __name__ == "__main__":
    launch(measure)
