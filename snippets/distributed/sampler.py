"""Which samples does each rank get, and in which order?"""

from torch.utils.data import DistributedSampler


# --8<-- [start:shards]
def shards(n_samples, world_size, epoch=None, **options):
    """List, per rank, the indices that DistributedSampler hands out."""
    result = []
    for rank in range(world_size):
        sampler = DistributedSampler(
            range(n_samples), world_size, rank, **options
        )
        if epoch is not None:
            sampler.set_epoch(epoch)
        result.append(list(sampler))
    return result


# --8<-- [end:shards]


# --8<-- [start:main]
def main():
    print("10 samples on 4 ranks:")
    for rank, indices in enumerate(shards(10, 4, shuffle=False)):
        print(f"  rank {rank}: {indices}")

    print("the same with drop_last=True:")
    for rank, indices in enumerate(
        shards(10, 4, shuffle=False, drop_last=True)
    ):
        print(f"  rank {rank}: {indices}")

    print("rank 0 of 2, shuffled, three epochs:")
    for epoch in range(3):
        print(f"  no set_epoch: {shards(10, 2)[0]}", end="   ")
        print(f"set_epoch({epoch}): {shards(10, 2, epoch)[0]}")


# --8<-- [end:main]


if __name__ == "__main__":
    main()
