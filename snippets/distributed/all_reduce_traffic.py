"""Who sends how much, and in how many steps: counted while it runs."""

import torch
import torch.distributed as dist
from torch.utils._python_dispatch import TorchDispatchMode

from all_reduce_by_hand import ALGORITHMS
from launch import device, launch

SIZE = 1200  # numbers; divisible by 2, 3, 4, 5, 6 and 8 ranks


# --8<-- [start:record]
class Traffic(TorchDispatchMode):
    """Record this rank's messages as (is it sent?, peer, bytes), in order."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if op in (torch.ops.c10d.send.default, torch.ops.c10d.recv_.default):
            (tensor,), _, peer, _ = args
            sends = op is torch.ops.c10d.send.default
            self.messages.append((sends, peer, tensor.nbytes))
        return op(*args, **(kwargs or {}))


# --8<-- [end:record]


# --8<-- [start:replay]
def replay(logs, cost):
    """Return when the last message has arrived; `cost(bytes)` is its time.

    `logs` holds each rank's messages. A rank sends one message at a time and
    receives one at a time, both at once if it likes; a message leaves when
    all that its sender waited for before has arrived.
    """
    ranks = range(len(logs))
    out, into = [0.0] * len(logs), [0.0] * len(logs)  # when a port is free
    at, pending = [0] * len(logs), {}
    while any(at[rank] < len(logs[rank]) for rank in ranks):
        for rank in ranks:
            if at[rank] == len(logs[rank]):
                continue
            sends, peer, size = logs[rank][at[rank]]
            if sends:  # ready when what came in before is there
                ready = max(out[rank], into[rank])
                pending.setdefault((rank, peer), []).append(ready)
                out[rank] = ready + cost(size)
            elif pending.get((peer, rank)):
                ready = pending[peer, rank].pop(0)
                into[rank] = max(into[rank], ready) + cost(size)
            else:
                continue  # its message has not been sent yet
            at[rank] += 1
    return max(out + into)


# --8<-- [end:replay]


# --8<-- [start:main]
def record(all_reduce, size=SIZE):
    """Return every rank's messages of one all-reduce, on every rank."""
    tensor = torch.ones(size, device=device())
    with Traffic() as traffic:
        all_reduce(tensor)
    logs = [None] * dist.get_world_size()
    dist.all_gather_object(logs, traffic.messages)
    return logs


def report(rank):
    whole = SIZE * 4  # bytes of float32: S
    if rank == 0:
        print(
            f"{dist.get_world_size()} ranks     sent, in S: each    all  steps"
        )
    for name, all_reduce in ALGORITHMS.items():
        logs = record(all_reduce)
        sent = [sum(n for out, _, n in log if out) / whole for log in logs]
        steps = replay(logs, lambda size: 1)
        if rank == 0:
            each = " ".join(f"{share:.2f}" for share in sent)
            print(f"{name:10} {each:>20} {sum(sent):6.2f} {steps:6.0f}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(report, 4)
