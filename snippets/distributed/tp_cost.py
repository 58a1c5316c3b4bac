"""What a rank holds and sends: parameters, cache, bytes for each token."""

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

from launch import device, launch
from tp_generate import split
from tp_lm import DIM, LAYERS, make_model


# --8<-- [start:count]
class AllReduces(TorchDispatchMode):
    """Count the all-reduces, and the bytes that this rank puts into them."""

    def __init__(self):
        super().__init__()
        self.calls = self.bytes = 0

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its local part comes here next
        if op is torch.ops._c10d_functional.all_reduce.default:
            self.calls += 1
            self.bytes += args[0].nbytes
        return op(*args, **(kwargs or {}))


def held_bytes(model):
    local = (getattr(p, "_local_tensor", p) for p in model.parameters())
    return sum(p.nbytes for p in local)


# --8<-- [end:count]


# --8<-- [start:traffic]
def token_traffic(layers, dim, itemsize, world_size):
    """All-reduces, bytes summed and bytes that a rank sends, for one token.

    Two all-reduces a layer, each of one activation: `dim` numbers of
    `itemsize` bytes. A ring sends 2(W - 1)/W of them (Patarasuk and Yuan).
    """
    if world_size < 1:
        raise ValueError(f"world_size must be at least 1, got {world_size}")
    calls = 2 * layers if world_size > 1 else 0
    summed = calls * dim * itemsize
    return calls, summed, 2 * (world_size - 1) * summed // world_size


# --8<-- [end:traffic]


# --8<-- [start:measure]
@torch.no_grad()
def measure(rank):
    world_size = dist.get_world_size()
    model = split(make_model().to(device()))
    caches = [[] for _ in range(LAYERS)]
    token = torch.tensor([[5]], device=device())
    with AllReduces() as seen:
        model(token, caches)
    cache = sum(part.nbytes for layer in caches for part in layer)
    sent = token_traffic(LAYERS, DIM, 8, world_size)[2]
    big = token_traffic(80, 8192, 2, world_size)  # Llama 3 70B in bfloat16
    if rank == 0:
        print(f"W = {world_size}: parameters {held_bytes(model):,} B")
        print(f"  a token: cache {cache:,} B")
        print(f"  {seen.calls} all-reduces, {seen.bytes:,} B in all")
        print(f"  sent on a ring {sent:,} B")
        print(f"  70B: {big[0]} all-reduces, {big[2]:,} B sent", flush=True)


# --8<-- [end:measure]


if __name__ == "__main__":
    launch(measure, (1, 2, 4))
