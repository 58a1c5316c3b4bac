"""Four attention heads on three ranks: the shapes no longer fit."""

import torch

from launch import device, launch, print_in_turn
from tp_generate import split
from tp_lm import generate, make_model


# --8<-- [start:main]
def run(rank):
    model = split(
        make_model().to(device())
    )  # 48 / 3 = 16 columns of q: 1 1/3 heads
    prompt = torch.tensor([[5, 6, 7]], device=device())
    tokens, _ = generate(model, prompt, 4)
    print_in_turn(tokens)


# --8<-- [end:main]


if __name__ == "__main__":
    launch(run, 3)
