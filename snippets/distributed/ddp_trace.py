"""From DDP's constructor to the optimizer's step: each rank's events."""

import textwrap

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils._python_dispatch import TorchDispatchMode

from launch import device, launch, print_in_turn


class Tiny(nn.Module):
    """One weight and one buffer, with other values on each rank."""

    def __init__(self, rank):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0 + 4 * rank]))
        self.register_buffer("seen", torch.tensor([10.0 * rank]))

    def forward(self, x):
        self.seen += len(x)
        return self.weight * x


# --8<-- [start:collectives]
class Collectives(TorchDispatchMode):
    """Call `note(name)` for each collective, DDP's own among them."""

    def __init__(self, note):
        super().__init__()
        self.note = note

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "c10d":
            self.note(func.name().removeprefix("c10d::").rstrip("_"))
        return func(*args, **(kwargs or {}))


# --8<-- [end:collectives]


# --8<-- [start:trace]
def trace(rank):
    """Return what happens on this rank, as [stage, event, event, ...]."""
    stages = []
    note = lambda event: stages[-1].append(event)
    begin = lambda stage: stages.append([stage])
    model = Tiny(rank).to(device())
    w, n = model.weight, model.seen
    state = lambda: f"weight {w.item():g} seen {n.item():g}"
    x = torch.full((4, 1), 1.0 + 2 * rank, device=device())

    begin("model")
    note(state())
    with Collectives(note):
        begin("DDP(model)")
        ddp = DDP(model)
        note(state())
        show = lambda p: note(f"own gradient {p.grad.item():g}")
        w.register_post_accumulate_grad_hook(show)  # just before DDP's
        optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
        begin("forward")
        loss = ddp(x).mean()
        note(f"loss {loss.item():g}")
        begin("backward")
        loss.backward()
        note(f"gradient {w.grad.item():g}")
        begin("step")
        optimizer.step()
        note(state())
    return stages


# --8<-- [end:trace]


# --8<-- [start:main]
def main(rank):
    lines = [f"rank {rank}"]
    for stage, *events in trace(rank):
        first, *rest = textwrap.wrap(", ".join(events), 30)
        lines.append(f" {stage:10} {first}")
        lines += [f"{'':12}{more}" for more in rest]
    print_in_turn("\n".join(lines))


# --8<-- [end:main]


if __name__ == "__main__":
    launch(main)
