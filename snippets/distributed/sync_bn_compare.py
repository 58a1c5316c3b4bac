"""SyncBatchNorm on each rank's batch beside one BatchNorm1d on all of them."""

import torch
import torch.distributed as dist
from torch import nn

from launch import device, launch
from sync_batch_norm import SyncBatchNorm


# --8<-- [start:compare]
def run(layer, x, target):
    """Return the output and the gradients of input, weight and bias."""
    layer, x = layer.double().to(device()), x.clone().requires_grad_()
    y = layer(x)
    (y - target).square().sum().backward()
    return [y.detach(), x.grad, layer.weight.grad, layer.bias.grad]


def errors(layer):
    """Largest differences on any rank from one batch norm over everything."""
    rank, sizes = dist.get_rank(), [3 + 2 * r for r in range(9)]
    sizes = sizes[: dist.get_world_size()]  # 3 samples on rank 0, 5 on rank 1
    gen = torch.Generator().manual_seed(0)
    data = torch.randn(2, sum(sizes), 4, generator=gen, dtype=torch.float64)
    x, target = data.to(device())
    whole = nn.BatchNorm1d(4)
    expected = run(whole, x, target)
    own = run(layer, x.split(sizes)[rank], target.split(sizes)[rank])
    for grad in own[2:]:  # DDP would do this
        dist.all_reduce(grad)
    pairs = [
        (own[0], expected[0].split(sizes)[rank]),
        (own[1], expected[1].split(sizes)[rank]),
        (own[2], expected[2]),
        (layer.running_var, whole.running_var),
    ]
    worst = torch.stack([(a - b).abs().max() for a, b in pairs])
    dist.all_reduce(worst, dist.ReduceOp.MAX)
    return worst.tolist()


# --8<-- [end:compare]


# --8<-- [start:main]
def compare(rank):
    for layer in (nn.BatchNorm1d(4), SyncBatchNorm(4)):
        off = errors(layer)
        off = [f"{e:6.3f}" if e > 1e-12 else "<1e-12" for e in off]
        if rank == 0:
            print(f"{type(layer).__name__:13}", *off, flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare)
