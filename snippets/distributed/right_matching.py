"""The same order everywhere, and one shape for all."""

import torch
import torch.distributed as dist

from launch import device, launch, print_in_turn


# --8<-- [start:order]
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


# --8<-- [end:order]


# --8<-- [start:shapes]
def gather_unequal(x):
    """Gather vectors of unequal length: agree on the longest, pad, cut."""
    world_size = dist.get_world_size()
    lengths = [0] * world_size
    dist.all_gather_object(lengths, len(x))
    padded = x.new_zeros(max(lengths))
    padded[: len(x)] = x
    pieces = [torch.empty_like(padded) for _ in range(world_size)]
    dist.all_gather(pieces, padded)
    return [p[:n] for p, n in zip(pieces, lengths, strict=True)]


# --8<-- [end:shapes]


# --8<-- [start:call]
def gather_samples(rank):
    x = torch.arange(2.0 + rank, device=device())
    pieces = gather_unequal(x)
    print_in_turn(f"rank {rank}: {[p.tolist() for p in pieces]}")


# --8<-- [end:call]


def main(rank):
    sum_metrics(rank)
    gather_samples(rank)


if __name__ == "__main__":
    launch(main)
