"""Collectives that do not match: another order, another shape."""

import torch
import torch.distributed as dist

from launch import launch, print_in_turn


# --8<-- [start:order]
def sum_metrics(rank):
    metrics = [
        {"loss": torch.tensor(2.0), "correct": torch.tensor(30.0)},
        {"correct": torch.tensor(28.0), "loss": torch.tensor(4.0)},
    ][rank]
    for name in metrics:  # loss first on rank 0, correct first on rank 1
        dist.all_reduce(metrics[name])
    sums = {name: metrics[name].item() for name in ("loss", "correct")}
    print_in_turn(f"rank {rank}: {sums}")


# --8<-- [end:order]


# --8<-- [start:shapes]
def gather_samples(rank):
    x = torch.arange(2.0 + rank)  # 2 samples on rank 0, 3 on rank 1
    pieces = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    try:
        dist.all_gather(pieces, x)
        result = str(pieces)
    except RuntimeError as error:
        result = str(error)
    if rank == 0:
        print(result, flush=True)


# --8<-- [end:shapes]


def main(rank):
    sum_metrics(rank)
    gather_samples(rank)


# --8<-- [start:debug]
if __name__ == "__main__":
    # As TORCH_DISTRIBUTED_DEBUG=DETAIL does: compare shapes before sending.
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    launch(main, timeout=5, backend="gloo")
# --8<-- [end:debug]
