"""Split a model that no rank has memory for, then load its weights."""

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    set_model_state_dict,
)

from launch import device, launch
from tp_generate import split
from tp_lm import LanguageModel, generate, make_model


# --8<-- [start:meta]
def load_split(state):
    """Split, then fill; only rank 0 needs a state dict, of whole weights."""
    with torch.device("meta"):  # shapes without memory
        model = LanguageModel().double()
    model = split(model)
    model.to_empty(device=device())  # a rank's own part, not yet filled
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(model, state, options=options)
    return model


# --8<-- [end:meta]


def run(rank):
    model = load_split(make_model().state_dict() if rank == 0 else {})
    prompt = torch.tensor([[5, 6, 7]], device=device())
    tokens, _ = generate(model, prompt, 4)
    if rank == 0:
        print(f"W = {dist.get_world_size()}: {tokens}", flush=True)


if __name__ == "__main__":
    launch(run, (2, 4))
