"""Reuse freed CPU memory as torch reuses freed CUDA memory: at once."""

import contextlib
import weakref
from collections import defaultdict

import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten


class CachingAllocator(TorchDispatchMode):
    """Under it, a copy or an empty tensor takes the block freed last.

    torch's CUDA allocator keeps freed blocks and hands the next request of
    that size the same address; malloc does so only sometimes.
    """

    def __init__(self):
        super().__init__()
        self.freed = defaultdict(list)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        asked = func in (aten.clone.default, aten.empty.memory_format)
        if not asked or not made.nbytes:
            return made
        blocks = self.freed[made.nbytes]
        block = blocks.pop() if blocks else bytearray(made.nbytes)
        home = torch.frombuffer(block, dtype=made.dtype).view(made.shape)
        if func is aten.clone.default:
            home.copy_(made)
        weakref.finalize(home, blocks.append, block)
        return home


def device_memory(device: str):
    """Return a context in which freed memory is reused as on a GPU."""
    if device == "cuda":
        return contextlib.nullcontext()
    return CachingAllocator()
