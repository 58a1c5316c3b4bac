"""ddp_trace.py against the events and numbers worked out by hand."""

import pytest
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

import ddp_trace
from ranks import run_ranks

STAGES = ["model", "DDP(model)", "forward", "backward", "step"]


def trace(rank):
    return ddp_trace.trace(rank)


def by_hand(rank):
    """loss = w x: its gradient is x, 1 or 3; the mean is 2; w = 1 - 0.1 * 2."""
    own = 1 + 2 * rank
    start = f"weight {1 + 4 * rank} seen {10 * rank}"
    return [
        ["model", start],
        ["DDP(model)", "allgather", "broadcast", "broadcast", "weight 1 seen 0"],
        ["forward", "broadcast", f"loss {own}"],
        ["backward", f"own gradient {own}", "allreduce", "gradient 2"],
        ["step", "weight 0.8 seen 4"],
    ]


class Contents(ddp_trace.Collectives):
    """Keep what a collective works on as well, to be read once it is over."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "c10d":
            self.note(args[0])
        return super().__torch_dispatch__(func, types, args, kwargs)


def read(noted):
    """Pairs: a collective's name, and the values of its tensors."""
    pairs = []
    for tensors, name in zip(noted[::2], noted[1::2], strict=True):
        while isinstance(tensors[0], list):
            (tensors,) = tensors
        values = [v for t in tensors for v in t.flatten().tolist()]
        pairs.append((name, values))
    return pairs


def contents(rank, linear):
    noted = []
    model = torch.nn.Linear(3, 2) if linear else ddp_trace.Tiny(rank)
    with Contents(noted.append):
        ddp = DDP(model)
        pairs = read(noted)
        noted.clear()
        ddp(torch.ones(4, 3)).mean().backward()
    return pairs, [name for _, name in zip(noted[::2], noted[1::2], strict=True)]


def three_steps(rank, buffers):
    """How many collectives each forward and each backward makes."""
    noted, counts = [], []
    model = ddp_trace.Tiny(rank) if buffers else torch.nn.Linear(1, 1)
    ddp = DDP(model)
    with ddp_trace.Collectives(noted.append):
        for _ in range(3):
            loss = ddp(torch.ones(4, 1)).mean()
            forward = len(noted)
            loss.backward()
            counts.append((forward, len(noted) - forward))
            noted.clear()
    return counts


def printed(rank):
    lines = []
    ddp_trace.print_in_turn = lambda text: lines.extend(text.split("\n"))
    ddp_trace.main(rank)
    return lines


@pytest.mark.claim(
    zh="从构造到更新：all-gather、两次 broadcast；前向一次 broadcast；反向在本 rank 的梯度算出之后 all-reduce；更新没有通信。1 与 3 平均成 2，两边的权重都是 0.8",
    en="From constructor to step: all-gather and two broadcasts; one broadcast in forward; in backward an all-reduce after the rank's own gradient; none in step. 1 and 3 average to 2, and both weights are 0.8",
    against_zh="手算，两个 rank",
    against_en="by hand, two ranks",
    tolerance="0",
)
def test_events_and_numbers():
    assert run_ranks(trace, 2) == [by_hand(0), by_hand(1)]


@pytest.mark.claim(
    zh="构造时的三次通信依次携带：参数个数、形状、rank 0 的参数与缓冲区的值",
    en="The constructor's three collectives carry, in turn, the number of parameters, the shapes, and rank 0's parameters and buffers",
    against_zh="直接读出每次通信的张量",
    against_en="the tensors that each one carries",
    tolerance="0",
)
def test_what_the_constructor_sends():
    for built, later in run_ranks(contents, 2, False):
        assert built == [
            ("allgather", [1, 1]),  # one parameter on each rank
            ("broadcast", [1, 1]),  # its size and stride
            ("broadcast", [1.0, 0.0]),  # rank 0's weight and buffer, not 5 and 10
        ]
        assert later == ["broadcast", "allreduce"]
    for built, later in run_ranks(contents, 2, True):
        assert built[0] == ("allgather", [2, 2])
        weight, bias = [2, 3, 3, 1], [2, 1]
        assert built[1] == ("broadcast", weight + bias)
        assert [name for name, _ in built] == ["allgather", "broadcast", "broadcast"]
        assert later == ["allreduce"]


def test_forward_has_no_collective_without_buffers():
    """Two broadcasts in the second step's forward rebuild the buckets."""
    assert run_ranks(three_steps, 2, False)[1] == [(0, 1), (2, 1), (0, 1)]
    assert run_ranks(three_steps, 2, True)[1] == [(1, 1), (3, 1), (1, 1)]


def test_the_shown_lines():
    for rank, lines in enumerate(run_ranks(printed, 2)):
        assert lines[0] == f"rank {rank}"
        want = [[stage, ", ".join(rest)] for stage, *rest in by_hand(rank)]
        assert [line.strip().split("  ", 1)[0] for line in lines[1:]] == STAGES
        assert [[a, b.strip()] for a, b in (x.strip().split("  ", 1) for x in lines[1:])] == want
