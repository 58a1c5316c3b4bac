"""A store of our own: one file a key. It needs flock: Linux or macOS."""

import fcntl
import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

import torch
import torch.distributed as dist

from bare_ranks import BareRanks, shows


def as_bytes(value):
    return value.encode() if isinstance(value, str) else bytes(value)


# --8<-- [start:core]
class DirStore(dist.Store):
    """Keys are files of `folder`; values are bytes, or str stored as UTF-8."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)

    def path(self, key):
        return self.folder / f"key-{quote(key, safe='')}"

    def set(self, key, value):
        with self.locked():
            self.write(key, value)

    def write(self, key, value):
        handle, name = tempfile.mkstemp(prefix=".", dir=self.folder)
        with open(handle, "wb") as file:
            file.write(as_bytes(value))
        os.replace(name, self.path(key))  # whole, or not at all

    def get(self, key):
        self.wait([key])
        return self.path(key).read_bytes()

    def wait(self, keys, timeout=None):
        limit = self.timeout if timeout is None else timeout
        end = time.monotonic() + limit.total_seconds()
        while not self.check(keys):
            if time.monotonic() > end:
                missing = [key for key in keys if not self.check([key])]
                raise dist.DistStoreError(f"no {missing} after {limit}")
            time.sleep(0.001)

    # --8<-- [end:core]
    # --8<-- [start:rest]
    def check(self, keys):
        return all(self.path(key).exists() for key in keys)

    @contextmanager
    def locked(self):
        """One process at a time; the lock of one that dies is released."""
        with open(self.folder / ".lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def add(self, key, amount):
        with self.locked():
            old = self.get(key) if self.check([key]) else 0
            self.write(key, str(int(old) + amount))
            return int(old) + amount

    def compare_set(self, key, expected, desired):
        with self.locked():
            old, there = as_bytes(expected), self.check([key])
            if self.get(key) == old if there else not old:
                self.write(key, desired)
                return as_bytes(desired)
            return self.get(key) if there else old

    def deleteKey(self, key):  # noqa: N802 - the name that C++ looks for
        with self.locked():
            there = self.check([key])
            self.path(key).unlink(missing_ok=True)
            return there

    def getNumKeys(self):  # noqa: N802
        return len(self.keys())

    # --8<-- [end:rest]
    def keys(self):
        files = self.folder.glob("key-*")
        return sorted(unquote(file.name[4:]) for file in files)


# --8<-- [start:main]
def work(rank, size, folder):
    store = DirStore(folder)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size)
    total = torch.tensor(rank + 1)
    dist.all_reduce(total)
    dist.barrier()
    dist.destroy_process_group()
    return f"rank {rank}: sum {total}"


def main(size=2):
    with tempfile.TemporaryDirectory() as folder:
        print(*BareRanks(work, size).call(size, folder), sep="\n")
        print(*DirStore(folder).keys(), sep="\n")


# --8<-- [end:main]


if __name__ == "__main__":
    if shows():
        main()
