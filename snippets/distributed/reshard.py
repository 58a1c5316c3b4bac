"""Save sharded on 2 ranks, load on 2, 4 and 1, bit for bit."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_state_dict,
    set_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from launch import device, launch


def build(seed):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(10, 7), nn.Tanh(), nn.Linear(7, 3))
    model = net.to(device())
    mesh = init_device_mesh(device().type, (dist.get_world_size(),))
    fully_shard(model, mesh=mesh)  # each rank keeps its rows (FSDP2)
    return model, torch.optim.Adam(model.parameters(), lr=0.1)


def train(model, optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        x = torch.full((4, 10), 1.0 + dist.get_rank(), device=device())
        model(x).square().mean().backward()
        optimizer.step()


# --8<-- [start:save]
def save(folder, model, optimizer):
    """Call on every rank: each writes its own part."""
    model_state, optim_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optim": optim_state}
    dcp.save(state, checkpoint_id=folder)


def load(folder, model, optimizer):
    """Call on every rank, however many: each reads the rows it needs."""
    model_state, optim_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optim": optim_state}
    dcp.load(state, checkpoint_id=folder)  # into these tensors
    set_state_dict(
        model,
        optimizer,
        model_state_dict=state["model"],
        optim_state_dict=state["optim"],
    )


# --8<-- [end:save]


# --8<-- [start:main]
def whole(model, optimizer):
    """Gather weights and Adam's state on each rank, to compare."""
    options = StateDictOptions(full_state_dict=True)
    state, optim = get_state_dict(model, optimizer, options=options)
    for name, moments in optim["state"].items():
        state |= {f"{name} {kind}": value for kind, value in moments.items()}
    return state


def reshard(rank, folder):
    names = [folder]  # rank 0's: under torchrun each rank may have its own
    dist.broadcast_object_list(names)
    parts, file = f"{names[0]}/parts", f"{names[0]}/whole.pt"
    if not os.path.exists(parts):
        model, optimizer = build(seed=0)
        train(model, optimizer)
        save(parts, model, optimizer)
        saved = whole(model, optimizer)
        if rank == 0:
            torch.save(saved, file)
    model, optimizer = build(seed=1)
    load(parts, model, optimizer)
    loaded = whole(model, optimizer)
    if rank == 0:
        saved = torch.load(file)
        same = all(torch.equal(loaded[name], saved[name]) for name in saved)
        rows = len(model[0].weight.to_local())
        size = dist.get_world_size()
        print(f"W = {size}: {rows} of 7 rows, bit-equal: {same}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        launch(reshard, (2, 4, 1), os.environ.get("FOLDER", temporary))
