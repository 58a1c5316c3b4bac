"""The same order everywhere, and one call for all metrics."""

import torch
import torch.distributed as dist

from launch import device, launch, print_in_turn


# --8<-- [start:main]
def sum_metrics(rank):
    metrics = [
        {"loss": torch.tensor(2.0), "correct": torch.tensor(30.0)},
        {"correct": torch.tensor(28.0), "loss": torch.tensor(4.0)},
    ][rank]
    names = sorted(metrics)  # the same order on every rank
    sums = torch.stack([metrics[name] for name in names]).to(device())
    dist.all_reduce(sums)  # and one call instead of two
    sums = dict(zip(names, sums.tolist(), strict=True))
    print_in_turn(f"rank {rank}: {sums}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(sum_metrics)
