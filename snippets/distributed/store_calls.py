"""Which calls a gloo group makes on its store, recorded by a store."""

import os
import tempfile
from collections import Counter

import torch
import torch.distributed as dist

from bare_ranks import BareRanks, shows

# Every method that C++ looks for in a Python subclass of dist.Store.
METHODS = ("set", "get", "wait", "add", "check", "compare_set", "append")
METHODS += ("deleteKey", "getNumKeys", "multi_get", "multi_set", "clone")
METHODS += ("has_extended_api",)


# --8<-- [start:recorder]
class Recorder(dist.Store):
    """Hands each call on to another store and notes it."""

    def __init__(self, store):
        super().__init__()
        self.store, self.calls = store, []


def recorded(name):
    ours = {"deleteKey": "delete_key", "getNumKeys": "num_keys"}

    def call(self, *args):
        self.calls.append((name, *args))
        return getattr(self.store, ours.get(name, name))(*args)

    return call


for method in METHODS:
    setattr(Recorder, method, recorded(method))
# --8<-- [end:recorder]


# --8<-- [start:work]
def work(rank, size, path):
    """Return the calls of three phases, each as (name, key)."""
    store, phases, seen = Recorder(dist.FileStore(path, size)), [], 0

    def close_phase():
        nonlocal seen
        phases.append([describe(*call) for call in store.calls[seen:]])
        seen = len(store.calls)

    dist.init_process_group("gloo", store=store, rank=rank, world_size=size)
    close_phase()
    for _ in range(10):
        dist.all_reduce(torch.ones(4))
        dist.broadcast(torch.ones(4), src=0)
        dist.barrier()
    close_phase()
    dist.new_group()
    close_phase()
    dist.barrier()
    dist.destroy_process_group()
    return phases


# --8<-- [end:work]


def describe(name, keys=(), *_):
    """Name the call and its key or keys; its value is gloo's address."""
    return name, keys if isinstance(keys, str) else " ".join(keys)


def record(size):
    ranks = BareRanks(work, size)
    with tempfile.TemporaryDirectory() as folder:
        return ranks.call(size, os.path.join(folder, "store"))


def main():
    for rank, (init, collectives, new_group) in enumerate(record(2)):
        for name, key in init:
            print(f"rank {rank} {name:4} {key}")
        print(f"rank {rank} collectives: {len(collectives)} calls")
        print(f"rank {rank} new_group: {' '.join(n for n, _ in new_group)}")
    for size in (2, 4):
        init = Counter(name for rank in record(size) for name, _ in rank[0])
        print(f"{size} ranks, init: {dict(sorted(init.items()))}")


if __name__ == "__main__":
    if shows():
        main()
