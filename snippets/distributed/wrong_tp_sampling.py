"""Each rank samples with a seed of its own: they stop at different tokens."""

import torch

from launch import device, launch
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
        said.append(token.item())
    print(f"rank {rank}: {said}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(sample, timeout=2)
