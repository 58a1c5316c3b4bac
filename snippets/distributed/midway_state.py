"""All of a training run in one file: save it between any two steps."""

import itertools
import os

import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler

PARTS = ("model", "optimizer", "scheduler")


# --8<-- [start:sampler]
class Shard(DistributedSampler):
    """A DistributedSampler that can begin in the middle of an epoch."""

    start = 0  # in samples of this rank

    def __iter__(self):
        return itertools.islice(super().__iter__(), self.start, None)


# --8<-- [end:sampler]


# --8<-- [start:state]
def save(path, run):
    """Call on every rank; rank 0 writes. `run` has the names in PARTS."""
    rng = [torch.get_rng_state()]  # this rank's; dropout draws from it
    if torch.cuda.is_initialized():
        rng.append(torch.cuda.get_rng_state())
    rngs = [None] * dist.get_world_size()
    dist.all_gather_object(rngs, rng)
    if dist.get_rank() == 0:
        state = {name: getattr(run, name).state_dict() for name in PARTS}
        state |= {"position": (run.epoch, run.batch), "rng": rngs}
        torch.save(state, f"{path}.part")
        os.replace(f"{path}.part", path)  # the new file or the old
    dist.barrier()


def load(path, run, without=None):
    """Call on every rank, as many as saved it; leave out one part, or none."""
    state = torch.load(path, map_location="cpu")
    if len(state["rng"]) != dist.get_world_size():
        raise ValueError(f"expected {len(state['rng'])} ranks, as when saved")
    for name in PARTS:
        if name != without:
            getattr(run, name).load_state_dict(state[name])
    if without != "position":
        run.epoch, run.batch = state["position"]
    if without != "rng":
        cpu, *gpu = state["rng"][dist.get_rank()]
        torch.set_rng_state(cpu)
        for rng in gpu:
            torch.cuda.set_rng_state(rng)


# --8<-- [end:state]
