"""Collectives in another order on each rank: paired all the same."""

import torch
import torch.distributed as dist

from launch import launch, print_in_turn


# --8<-- [start:main]
def sum_metrics(rank):
    metrics = [
        {"loss": torch.tensor(2.0), "correct": torch.tensor(30.0)},
        {"correct": torch.tensor(28.0), "loss": torch.tensor(4.0)},
    ][rank]
    for name in metrics:  # loss first on rank 0, correct first on rank 1
        dist.all_reduce(metrics[name])
    sums = {name: metrics[name].item() for name in ("loss", "correct")}
    print_in_turn(f"rank {rank}: {sums}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(sum_metrics, backend="gloo")
