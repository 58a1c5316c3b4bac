"""Without set_epoch every epoch has the order of the first."""

from torch.utils.data import DataLoader, DistributedSampler


def make_loader():
    """Rank 0's loader of two; ten samples, which are their own numbers."""
    sampler = DistributedSampler(range(10), num_replicas=2, rank=0)
    return sampler, DataLoader(range(10), batch_size=None, sampler=sampler)


# --8<-- [start:wrong]
def wrong():
    sampler, loader = make_loader()
    for epoch in range(3):
        print(epoch, list(loader))


# --8<-- [end:wrong]


# --8<-- [start:right]
def right():
    sampler, loader = make_loader()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        print(epoch, list(loader))


# --8<-- [end:right]


if __name__ == "__main__":
    print("without set_epoch")
    wrong()
    print("with set_epoch")
    right()
