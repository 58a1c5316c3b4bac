"""What one training step costs a rank: bytes that it keeps and sends."""

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

from launch import device, launch
from small_model import STEPS, make_batch, make_model, on_one_device, train

RING = {  # bytes sent by a rank of W for a byte of payload
    "allreduce_": lambda w: 2 * (w - 1) / w,
    "all_reduce": lambda w: 2 * (w - 1) / w,
    "_allgather_base_": lambda w: (w - 1) / w,
    "_reduce_scatter_base_": lambda w: (w - 1) / w,
    "broadcast_": lambda w: (w - 1) / w,  # the mean of the ranks
    "send": lambda w: 1,
}
FREE = {"recv_", "wait_tensor", "_wrap_tensor_autograd"}


# --8<-- [start:traffic]
class Traffic(TorchDispatchMode):
    """Count this rank's collectives: `calls`, and in bytes `payload`, the
    whole tensor of each call, and `sent`, what a ring algorithm sends for it.
    """

    def __init__(self):
        super().__init__()
        self.calls = self.payload = self.sent = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(issubclass(t, DTensor) for t in types):
            return NotImplemented  # come back with what it does inside
        name = func.overloadpacket.__name__
        if func.namespace in ("c10d", "_c10d_functional"):
            if name not in RING.keys() | FREE:
                raise NotImplementedError(f"no formula for {func}")
            if name in RING:
                size = max(map(count_bytes, args))
                self.calls += 1
                self.payload += size
                self.sent += size * RING[name](dist.get_world_size())
        return func(*args, **(kwargs or {}))


def count_bytes(value):
    """Bytes of a tensor, or of the tensors in a list; 0 for all else."""
    if isinstance(value, (list, tuple)):
        return sum(map(count_bytes, value))
    if isinstance(value, DTensor):
        value = value.to_local()
    return value.nbytes if isinstance(value, torch.Tensor) else 0


# --8<-- [end:traffic]


# --8<-- [start:held]
def held(optimizer):
    """Bytes on this rank of parameters, gradients and optimizer state."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    own = getattr(optimizer, "optim", optimizer)  # ZeRO: this rank's part
    return (
        count_bytes(params),
        count_bytes([p.grad for p in params]),
        sum(count_bytes(list(state.values())) for state in own.state.values()),
    )


# --8<-- [end:held]


def share(tensor):
    """Return this rank's part of a batch, as large as every other rank's."""
    world_size = dist.get_world_size()
    if len(tensor) % world_size:
        raise ValueError(f"{world_size} ranks cannot share {len(tensor)}")
    return tensor.chunk(world_size)[dist.get_rank()]


# --8<-- [start:measure]
def measure(setup, trainer=train, split=True):
    """Return the losses and the costs, of each the largest of any rank.

    `setup(model)` returns what `trainer` needs, the optimizer last. Traffic
    is counted in the second call of `trainer`: the first sets things up.
    """
    batch = [tensor.to(device()) for tensor in make_batch()]
    if split:
        batch = [share(tensor) for tensor in batch]
    parts = setup(make_model().to(device()))
    losses = trainer(*parts, *batch)
    dist.all_reduce(losses)  # a pipeline has zeros where it has no loss
    with Traffic() as traffic:
        trainer(*parts, *batch)
    costs = [traffic.calls, traffic.payload, traffic.sent]
    costs = torch.tensor([*held(parts[-1]), *(c / STEPS for c in costs)])
    costs = costs.to(device())
    dist.all_reduce(costs, dist.ReduceOp.MAX)
    ranks = dist.get_world_size() if trainer is train else 1
    return losses / ranks, costs.tolist()


# --8<-- [end:measure]


def show(rank, *strategy):
    losses, (params, grads, state, calls, payload, _) = measure(*strategy)
    if rank == 0:
        kib = " + ".join(f"{n / 1024:.1f}" for n in (params, grads, state))
        print("losses", " ".join(f"{loss:.4f}" for loss in losses))
        print(f"a rank keeps {kib} KiB: parameters, gradients, Adam")
        print(f"a step: {calls:.0f} calls with {payload / 1024:.1f} KiB")


if __name__ == "__main__":
    launch(show, 1, on_one_device, train, False)
