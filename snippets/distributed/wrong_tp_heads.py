"""Four attention heads on three ranks: the shapes no longer fit."""

import torch

from launch import device, launch
from tp_generate import split
from tp_lm import generate, make_model


# --8<-- [start:main]
def run(rank):
    model = split(make_model())  # 48 / 3 = 16 columns of q: 1 1/3 heads
    prompt = torch.tensor([[5, 6, 7]], device=device())
    tokens, _ = generate(model, prompt, 4)
    print(tokens, flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(run, 3)
