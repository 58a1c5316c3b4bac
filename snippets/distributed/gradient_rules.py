"""Clipping, loss scaling and token counts: what keeps the average exact?"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils import clip_grad_norm_

from launch import device, launch

VALID = [9, 4]  # of each rank's 12 tokens; the others are padding


def make_model():
    torch.manual_seed(0)
    return nn.Linear(8, 5, dtype=torch.float64)


def make_tokens():
    """All tokens: features (24, 8) and targets (24,), -100 for padding."""
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(24, 8, dtype=torch.float64, generator=gen)
    y = torch.randint(5, (24,), generator=gen)
    for rank, valid in enumerate(VALID):
        y[12 * rank + valid : 12 * rank + 12] = -100
    return x, y


# --8<-- [start:case]
def gradient(rank, weighted=False, scale=1.0, clip=None):
    """DDP's gradient of the weight; `rank` None: one process, all tokens.

    `clip` is "after" or "before" the average; the limit is a norm of 0.1.
    """
    x, y = (t.to(device()) for t in make_tokens())
    model = make_model().to(device())
    if rank is not None:
        x, y = x.chunk(2)[rank], y.chunk(2)[rank]
        model = DDP(model)
    weight = next(model.parameters())
    if clip == "before":  # a hook on the tensor: DDP has not averaged yet
        weight.register_hook(lambda g: g * (0.1 / g.norm()).clamp(max=1))
    if weighted:  # the sum of the losses times W, over all ranks' tokens
        total = (y != -100).sum()
        dist.all_reduce(total)
        loss = cross_entropy(model(x), y, reduction="sum")
        loss = loss * dist.get_world_size() / total
    else:  # a mean over this rank's valid tokens
        loss = cross_entropy(model(x), y)
    (loss * scale).backward()
    weight.grad /= scale
    if clip == "after" or (clip and rank is None):
        clip_grad_norm_([weight], 0.1)
    return weight.grad


# --8<-- [end:case]


# --8<-- [start:main]
def main(rank):
    whole, clipped = gradient(None), gradient(None, clip="after")
    cases = {
        "mean of 9 and of 4 tokens": (gradient(rank), whole),
        "weighted by tokens": (gradient(rank, True), whole),
        "weighted, loss x 65536": (gradient(rank, True, 65536.0), whole),
        "clipped after the average": (
            gradient(rank, True, clip="after"),
            clipped,
        ),
        "clipped before it": (gradient(rank, True, clip="before"), clipped),
    }
    for name, (grad, reference) in cases.items():
        error = (grad - reference).norm() / reference.norm()
        if rank == 0:
            print(f"{name:26} off by {error:6.2%}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
