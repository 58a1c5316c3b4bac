"""Same numbers, other order of addition, other last bits."""

import torch
import torch.distributed as dist

from all_reduce_by_hand import ALGORITHMS
from launch import device, launch


# --8<-- [start:own]
def own_first_all_reduce(tensor):
    """Everyone to everyone, but each rank starts with its own: a mistake."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    parts = [torch.empty_like(tensor) for _ in range(world_size)]
    dist.all_gather(parts, tensor)
    for i in range(1, world_size):
        tensor += parts[(rank + i) % world_size]


# --8<-- [end:own]


# --8<-- [start:compare]
def make_part(rank):
    gen = torch.Generator().manual_seed(rank)
    return torch.rand(10_000, generator=gen)


def compare(rank):
    world_size = dist.get_world_size()
    exact = sum(make_part(r).double() for r in range(world_size))
    part, exact = make_part(rank).to(device()), exact.to(device())
    star = part.clone()
    ALGORITHMS["star"](star)
    runs = ALGORITHMS | {
        "own first": own_first_all_reduce,
        dist.get_backend(): dist.all_reduce,
    }
    if rank == 0:
        print("            ranks equal  unlike star  largest error")
    for name, all_reduce in runs.items():
        total = part.clone()
        all_reduce(total)
        results = [torch.empty_like(total) for _ in range(world_size)]
        dist.all_gather(results, total)
        equal = all(torch.equal(result, total) for result in results)
        unlike = (total != star).sum()
        dist.all_reduce(unlike, dist.ReduceOp.MAX)  # of all ranks
        error = (total - exact).abs().max().item()
        if rank == 0:
            print(f"{name:10} {equal!s:>12} {unlike.item():12} {error:14.1e}")


# --8<-- [end:compare]


if __name__ == "__main__":
    launch(compare, 4)
