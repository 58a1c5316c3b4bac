"""A last batch that does not fill the devices: who gets what, what breaks."""

import torch
from torch import nn
from torch.utils.data import DataLoader

DEVICES = 4


# --8<-- [start:parts]
def parts(batch_size, devices=DEVICES):
    """List how many samples DataParallel hands to each device it uses."""
    return [len(part) for part in torch.ones(batch_size, 2).chunk(devices)]


# --8<-- [end:parts]


def forward(batches):
    """Put each device's part through a BatchNorm; return what happened."""
    norm = nn.BatchNorm1d(2)
    try:
        for batch in batches:
            for part in batch.chunk(DEVICES):
                norm(part)
    except ValueError as error:
        return error
    return "passed"


# --8<-- [start:wrong]
def wrong(data):
    loader = DataLoader(data, batch_size=8)
    return forward(loader)


# --8<-- [end:wrong]


# --8<-- [start:right]
def right(data):
    loader = DataLoader(data, batch_size=8, drop_last=True)
    return forward(loader)


# --8<-- [end:right]


if __name__ == "__main__":
    for batch_size in (8, 5, 3):
        print(f"{batch_size} samples, 4 devices: {parts(batch_size)}")
    samples = torch.randn(21, 2)  # batches of 8, 8 and 5
    print(f"wrong: {str(wrong(samples)).partition(' when')[0]}")
    print(f"right: {right(samples)}")
