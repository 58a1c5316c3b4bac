"""ddp_trace.py against the events and numbers worked out by hand."""

import warnings

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


def make(kind, rank):
    if kind == "batch norm":
        return torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.BatchNorm1d(2))
    return ddp_trace.Tiny(rank) if kind == "buffer" else torch.nn.Linear(1, 1)


def three_steps(rank, kind):
    """How many collectives each forward and each backward makes."""
    noted, counts = [], []
    ddp = DDP(make(kind, rank))
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


def test_what_the_constructor_sends():
    """The constructor's three collectives carry, in turn, the number of
    parameters, the shapes, and rank 0's parameters and buffers.
    """
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
    assert run_ranks(three_steps, 2, "none")[1] == [(0, 1), (2, 1), (0, 1)]
    assert run_ranks(three_steps, 2, "buffer")[1] == [(1, 1), (3, 1), (1, 1)]
    assert run_ranks(three_steps, 2, "batch norm")[1] == [(2, 1), (4, 1), (2, 1)]


def batch_norm(rank):
    """Collectives of the constructor, then of forwards in eval mode."""
    noted, counts = [], []
    with ddp_trace.Collectives(noted.append), torch.no_grad():
        ddp = DDP(make("batch norm", rank))
        for wrapped in (ddp.eval(), ddp.module):
            counts.append(len(noted))
            noted.clear()
            wrapped(torch.ones(4, 1))
    return [*counts, len(noted)]


def test_one_broadcast_for_each_dtype():
    """Batch norm has float and int64 buffers; eval() and no_grad() do not
    keep DDP from broadcasting them, only ddp.module does.
    """
    assert run_ranks(batch_norm, 2) == [[4, 2, 0]] * 2


def switched_off(rank, options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ddp = DDP(ddp_trace.Tiny(rank), **options)
    old = any("`broadcast_buffers` is deprecated" in str(w.message) for w in caught)
    noted = []
    with ddp_trace.Collectives(noted.append):
        ddp(torch.ones(4, 1))
    return ddp.module.seen.item() - 4, noted, old


def test_two_ways_to_switch_buffers_off():
    """The new argument still sends rank 0's buffer once, on construction."""
    new = run_ranks(switched_off, 2, {"forward_sync_buffers": False})
    assert new == [(0, [], False), (0, [], False)]
    old = run_ranks(switched_off, 2, {"broadcast_buffers": False})
    assert old == [(0, [], True), (10, [], True)]


def test_the_shown_lines():
    for rank, lines in enumerate(run_ranks(printed, 2)):
        assert lines[0] == f"rank {rank}"
        stages = []
        for line in lines[1:]:
            if line[:12].strip():
                stages.append([line[:12].strip(), line[12:]])
            else:  # the events go on
                stages[-1][1] += f" {line[12:]}"
        want = [[stage, ", ".join(rest)] for stage, *rest in by_hand(rank)]
        assert [stage for stage, _ in stages] == STAGES
        assert stages == want
