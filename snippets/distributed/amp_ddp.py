"""Mixed precision with DDP: autocast, and a GradScaler for float16 only."""

import torch
from torch import nn
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch


# --8<-- [start:step]
def train_step(ddp, optimizer, scaler, x, y, dtype):
    """One step; return the dtype that the model computed in."""
    with torch.autocast(device().type, dtype=dtype):
        output = ddp(x)
        loss = mse_loss(output, y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()  # outside autocast; DDP averages here
    scaler.step(optimizer)  # unscales, and skips the step on inf or nan
    scaler.update()
    return output.dtype


def make_scaler(dtype):
    """Scale the loss for float16; with anything else do nothing."""
    return torch.amp.GradScaler(device().type, enabled=dtype == torch.float16)


# --8<-- [end:step]


def make_batch(rank):
    gen = torch.Generator().manual_seed(rank)
    x = torch.randn(16, 8, generator=gen)
    return x.to(device()), x[:, :1].to(device())


# --8<-- [start:main]
def train(rank):
    for dtype in (torch.bfloat16, torch.float16):
        torch.manual_seed(0)
        ddp = DDP(nn.Linear(8, 1).to(device()))
        optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
        scaler = make_scaler(dtype)
        computed = train_step(ddp, optimizer, scaler, *make_batch(rank), dtype)
        weight = ddp.module.weight
        if rank == 0:
            print(
                f"{computed}: weight {weight.dtype}, "
                f"gradient {weight.grad.dtype}, "
                f"scale {scaler.get_scale():g}",
                flush=True,
            )


# --8<-- [end:main]


# --8<-- [start:underflow]
def tiny_gradients(rank):
    """A loss so small that float16 has no number for its gradient."""
    layer = nn.Linear(8, 1, bias=False).to(device())
    x = torch.ones(4, 8, device=device())
    for dtype, scale in (
        (torch.bfloat16, 1),
        (torch.float16, 1),
        (torch.float16, 2**16),
    ):
        layer.zero_grad()
        with torch.autocast(device().type, dtype=dtype):
            loss = layer(x).float().sum() * 1e-9
        (loss * scale).backward()
        alive = layer.weight.grad.count_nonzero().item()
        if rank == 0:
            print(
                f"{dtype}, scale {scale}: {alive} of 8 gradients are not 0",
                flush=True,
            )


# --8<-- [end:underflow]


def main(rank):
    train(rank)
    tiny_gradients(rank)


if __name__ == "__main__":
    launch(main)
