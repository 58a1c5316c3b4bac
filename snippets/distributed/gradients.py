"""When is DDP's gradient that of the whole batch?"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import launch


def make_model():
    torch.manual_seed(0)
    return nn.Linear(8, 3, dtype=torch.float64)


def make_batch():
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(16, 8, dtype=torch.float64, generator=gen)
    return x, torch.randint(3, (16,), generator=gen)


# --8<-- [start:ddp]
def ddp_gradient(sizes, reduction="mean", weighted=False):
    """Gradient of the weight when rank r holds `sizes[r]` of the samples."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    x, y = (t.split(sizes)[rank] for t in make_batch())
    ddp = DDP(make_model())
    loss = cross_entropy(ddp(x), y, reduction=reduction)
    if weighted:
        total = torch.tensor(len(x))
        dist.all_reduce(total)
        loss = loss * len(x) * world_size / total
    loss.backward()
    return ddp.module.weight.grad


# --8<-- [end:ddp]


# --8<-- [start:whole]
def whole_gradient(reduction="mean"):
    """The same in one process, from all 16 samples at once."""
    x, y = make_batch()
    model = make_model()
    cross_entropy(model(x), y, reduction=reduction).backward()
    return model.weight.grad


# --8<-- [end:whole]


# --8<-- [start:compare]
def compare(rank):
    cases = {
        "8 + 8, mean": ddp_gradient([8, 8]),
        "12 + 4, mean": ddp_gradient([12, 4]),
        "12 + 4, weighted": ddp_gradient([12, 4], weighted=True),
    }
    whole = whole_gradient()
    for name, grad in cases.items():
        error = (grad - whole).norm() / whole.norm()
        if rank == 0:
            print(f"{name:16}  off by {error:6.2%}")
    ratio = ddp_gradient([8, 8], "sum").norm() / whole_gradient("sum").norm()
    if rank == 0:
        print(f"{'8 + 8, sum':16}  {ratio:.3f} of the whole", flush=True)


# --8<-- [end:compare]


if __name__ == "__main__":
    launch(compare)
