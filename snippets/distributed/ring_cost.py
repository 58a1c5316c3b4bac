"""Ring all-reduce: what a rank sends, in how many steps."""

import torch


# --8<-- [start:ring]
def ring_all_reduce(vectors):
    """Turn each rank's vector into the sum of all; count what a rank sends.

    `vectors` is a list of W tensors of equal length, rank r's at index r; they
    are overwritten. Returns the number of elements that each rank sent and
    the number of steps, in each of which a rank sends one chunk to the next.
    """
    world_size = len(vectors)
    chunks = [vector.tensor_split(world_size) for vector in vectors]
    steps = 2 * (world_size - 1)
    sent = [0] * world_size
    for step in range(steps):
        on_the_way = []
        for rank in range(world_size):
            i = (rank - step) % world_size
            on_the_way.append((i, chunks[rank][i]))
            sent[rank] += chunks[rank][i].numel()
        for rank in range(world_size):
            i, chunk = on_the_way[rank - 1]
            if step < world_size - 1:  # reduce-scatter: sums build up
                chunks[rank][i].add_(chunk)
            else:  # all-gather: finished sums go round
                chunks[rank][i].copy_(chunk)
    return sent, steps


# --8<-- [end:ring]


# --8<-- [start:main]
def main():
    size = 240
    for world_size in (2, 4, 8, 16):
        vectors = [
            torch.full((size,), rank + 1.0) for rank in range(world_size)
        ]
        sent, steps = ring_all_reduce(vectors)
        print(
            f"{world_size:2} ranks: each sends {sent[0] / size:.3f} S "
            f"in {steps:2} steps and holds {vectors[0][0]:3.0f}, the sum"
        )


# --8<-- [end:main]


if __name__ == "__main__":
    main()
