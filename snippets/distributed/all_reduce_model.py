"""What each all-reduce costs by the alpha-beta model, and when trees win."""

import torch.distributed as dist

from all_reduce_by_hand import ALGORITHMS
from all_reduce_traffic import record, replay
from launch import launch

ALPHA = 20.0  # µs for a message, however short: an assumption
BETA = 0.001  # µs for each byte more, which is 1 GB/s: likewise


# --8<-- [start:model]
def predict(name, world_size, size, alpha=ALPHA, beta=BETA):
    """Return the time that an all-reduce of `size` bytes takes.

    A message of n bytes takes alpha + beta · n; a rank sends one and receives
    one at a time. `size` is divisible by `world_size`. Raises KeyError for an
    unknown algorithm. Model: Thakur et al., IJHPCA 2005, section 3.
    """
    depth = (world_size - 1).bit_length()  # log2, rounded up
    steps, part = {
        "star": (2 * (world_size - 1), 1),
        "everyone": (world_size - 1, 1),
        "tree": (2 * depth, 1),
        "ring": (2 * (world_size - 1), world_size),
    }[name]
    return steps * (alpha + beta * size / part)


def crossover(world_size):
    """Return up to what size, in alpha / beta, the tree beats the ring."""
    depth = (world_size - 1).bit_length()
    more = world_size - 1 - depth  # pairs of steps that the ring has more
    return more / (depth - 1 + 1 / world_size) if more > 0 else 0.0


# --8<-- [end:model]


# --8<-- [start:main]
def compare(rank):
    world_size = dist.get_world_size()
    lines = [
        f"{world_size} ranks, {ALPHA:.0f} µs a message, 1 GB/s",
        "   bytes" + "".join(f"{name:>12}" for name in ALGORITHMS),
    ]
    for count in (256, 8192, 16384, 262144):
        times = []
        for name, all_reduce in ALGORITHMS.items():
            logs = record(all_reduce, count)  # of a real run
            time = replay(logs, lambda n: ALPHA + BETA * n)
            assert abs(time - predict(name, world_size, 4 * count)) < 1e-6
            times.append(f"{time:9.0f} µs")
        lines.append(f"{4 * count:8}" + "".join(times))
    limit = crossover(world_size) * ALPHA / BETA
    lines.append(f"the tree beats the ring below {limit:.0f} bytes")
    if rank == 0:
        print("\n".join(lines))


# --8<-- [end:main]


if __name__ == "__main__":
    launch(compare, 8)
