"""The small model of the comparison, trained on one device."""

import os

import torch
from torch import nn
from torch.optim import Adam

WIDTH, HIDDEN, BLOCKS, BATCH, STEPS = 64, 256, 4, 256, 3


# --8<-- [start:model]
def make_model(dtype=torch.float32):
    """Four blocks, 64 -> 256 -> 64 wide: 132 352 parameters."""
    torch.manual_seed(0)
    return nn.Sequential(
        *(
            nn.Sequential(
                nn.Linear(WIDTH, HIDDEN, dtype=dtype),
                nn.ReLU(),
                nn.Linear(HIDDEN, WIDTH, dtype=dtype),
            )
            for _ in range(BLOCKS)
        )
    )


def make_batch(dtype=torch.float32):
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(BATCH, WIDTH, dtype=dtype, generator=gen)
    return x, x.flip(1).sin()


# --8<-- [end:model]


# --8<-- [start:train]
def train(model, optimizer, x, y):
    """Take three steps on one batch; return the loss before each."""
    losses = []
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


# --8<-- [end:train]


# --8<-- [start:one]
def on_one_device(model):
    return model, Adam(model.parameters(), lr=0.003)


# --8<-- [end:one]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    for number in train(*on_one_device(make_model()), *make_batch()):
        print(f"loss {number:.4f}")
