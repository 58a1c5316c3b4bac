"""Four attention heads on three ranks: refused before anything is split."""

import torch
import torch.distributed as dist

from launch import device, launch
from tp_generate import split
from tp_lm import HEADS, generate, make_model


# --8<-- [start:main]
def check_heads(heads, world_size):
    """Raise ValueError unless each rank gets as many whole heads."""
    if heads % world_size:
        sizes = [n for n in range(1, heads + 1) if heads % n == 0]
        raise ValueError(
            f"{heads} attention heads cannot be shared by {world_size} "
            f"ranks; possible: {', '.join(map(str, sizes))}"
        )


def run(rank):
    check_heads(HEADS, dist.get_world_size())
    model = split(make_model().to(device()))
    prompt = torch.tensor([[5, 6, 7]], device=device())
    tokens, _ = generate(model, prompt, 4)
    if rank == 0:
        print(tokens, flush=True)


# --8<-- [end:main]


def refused_or_run(rank):
    try:
        run(rank)
    except ValueError as error:
        if rank == 0:
            print(f"ValueError: {error}", flush=True)


if __name__ == "__main__":
    launch(refused_or_run, (3, 2))
