"""Greedy generation on 1, 2 and 4 ranks: the tokens of one process."""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

from launch import device, launch
from tp_lm import LAYERS, generate, make_model

# --8<-- [start:plan]
PLAN = {
    "layers.*.attention.q": ColwiseParallel(),
    "layers.*.attention.k": ColwiseParallel(),
    "layers.*.attention.v": ColwiseParallel(),
    "layers.*.attention.out": RowwiseParallel(),
    "layers.*.up": ColwiseParallel(),
    "layers.*.down": RowwiseParallel(),
}


def split(model):
    mesh = init_device_mesh(device().type, (dist.get_world_size(),))
    return parallelize_module(model, mesh, PLAN)


# --8<-- [end:plan]


# --8<-- [start:compare]
@torch.no_grad()
def compare(rank):
    prompt = torch.tensor([[5, 6, 7]], device=device())
    model = split(make_model().to(device()))
    tokens, logits = generate(model, prompt, 12)
    expected, right = generate(make_model().to(device()), prompt, 12)
    with CommDebugMode() as comm:
        model(prompt, [[] for _ in range(LAYERS)])
    if rank == 0:
        same = (logits - right).abs().max() < 1e-12
        print(f"W = {dist.get_world_size()}: {tokens}")
        print(f"  tokens of one process: {tokens == expected}")
        print(f"  logits to 1e-12: {bool(same)}")
        print(f"  all-reduces a pass: {comm.get_total_counts()}", flush=True)


# --8<-- [end:compare]


if __name__ == "__main__":
    launch(compare, (1, 2, 4))
