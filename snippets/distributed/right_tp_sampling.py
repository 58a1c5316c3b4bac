"""Rank 0 samples and tells the others: all go on from the same token."""

import torch
import torch.distributed as dist

from launch import device, launch, print_in_turn
from tp_generate import split
from tp_lm import LAYERS, make_model

STOP = 225  # ends the text


# --8<-- [start:main]
@torch.no_grad()
def sample(rank):
    model = split(make_model().to(device()))
    gen = torch.Generator(device()).manual_seed(rank)
    caches, said = [[] for _ in range(LAYERS)], []
    token = torch.tensor([[5]], device=device())
    while len(said) < 16 and STOP not in said:
        logits = model(token, caches)[:, -1]
        token = torch.multinomial(logits.softmax(-1), 1, generator=gen)
        dist.broadcast(token, src=0)
        said.append(token.item())
    print_in_turn(f"rank {rank}: {said}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(sample)
