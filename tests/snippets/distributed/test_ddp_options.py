"""ddp_options.py: collectives and bytes against what the options must cost."""

import os
import tempfile

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.profiler import profile

import ddp_options
from ranks import run_ranks

UNUSED, STATIC = {"find_unused_parameters": True}, {"static_graph": True}


def collectives(rank, *cases):
    return [ddp_options.collectives(use, **opts) for use, opts in cases]


def memory(rank):
    return [ddp_options.memory(view) for view in (False, True)]


def used_on_rank_1_only(rank, use_on_0):
    """Two weights; the second has a part in the loss where `use` says so."""

    class Branch(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(1, 1, bias=False)
            self.b = nn.Linear(1, 1, bias=False)

        def forward(self, x):
            return self.a(x) + self.b(x) if rank == 1 and use_on_0 else self.a(x)

    ddp = DDP(Branch(), find_unused_parameters=True)
    ddp(torch.full((1, 1), 3.0)).sum().backward()
    return ddp.module.a.weight.grad, ddp.module.b.weight.grad


def detach_a_view(rank):
    ddp = DDP(nn.Linear(1, 1), gradient_as_bucket_view=True)
    ddp(torch.ones(1, 1)).sum().backward()
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        ddp.module.weight.grad.detach_()
    ddp.zero_grad()  # set_to_none: what PyTorch does by default


def stderr_of_all_used(rank):
    """What DDP writes to stderr when nothing is unused."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        ddp_options.collectives(True, **UNUSED)
        os.dup2(kept, 2)
        file.seek(0)
        return file.read().decode()


def profiled(rank):
    """The same counts from the profiler's events."""
    ddp, found = DDP(ddp_options.Spare(False), **STATIC), []
    for _ in range(4):
        with profile() as trace:
            ddp(torch.ones(2, 256)).sum().backward()
        names = [event.name for event in trace.events()]
        found.append([names.count(f"c10d::{n}_") for n in ("allreduce", "broadcast")])
    return found


def printed(rank):
    lines = []
    ddp_options.print = lambda text, flush=False: lines.append(text)
    ddp_options.main(rank)
    return lines


@pytest.mark.claim(
    zh="find_unused_parameters 每步多一次 all-reduce（哪些参数用过）；static_graph 只在第 0 步多一次",
    en="find_unused_parameters costs one more all-reduce each step (which parameters were used); static_graph one in step 0 only",
    against_zh="截获的 c10d::allreduce_ 调用，两个 rank",
    against_en="c10d::allreduce_ calls intercepted on two ranks",
    tolerance="0",
)
def test_collectives_in_each_step():
    cases = [(True, {}), (True, UNUSED), (False, UNUSED), (False, STATIC)]
    answers = run_ranks(collectives, 2, *cases)
    for answer in answers:
        assert answer == [
            ([1, 1, 1, 1], [0, 2, 0, 0]),  # one bucket; step 1 rebuilds it
            ([2, 2, 2, 2], [0, 0, 0, 0]),
            ([2, 2, 2, 2], [0, 0, 0, 0]),
            ([2, 1, 1, 1], [0, 0, 2, 0]),
        ]


def test_views_save_the_size_of_the_gradients():
    size = 2 * 256 * 256 * 4 / 2**20
    assert run_ranks(memory, 2) == [[2 * size, size]] * 2
    assert size == 0.5


def test_a_parameter_used_on_one_rank():
    """find_unused_parameters: a parameter that only rank 1 used gets
    g₁/W on both ranks; one that none used keeps None.
    """
    for a, b in run_ranks(used_on_rank_1_only, 2, True):
        assert a == 3
        assert b == 1.5
    assert [b for _, b in run_ranks(used_on_rank_1_only, 2, False)] == [None] * 2


def test_nothing_unused_is_told_once():
    text = "did not find any unused parameters in the forward pass"
    for written in run_ranks(stderr_of_all_used, 2):
        assert written.count(text) == 1


def test_the_profiler_counts_the_same():
    assert run_ranks(profiled, 2) == [[[2, 0], [1, 0], [1, 2], [1, 0]]] * 2


def test_gradients_that_are_views_cannot_be_detached():
    run_ranks(detach_a_view, 1)


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert lines[1] == "all used                  [1, 1, 1, 1]  [0, 2, 0, 0]"
    assert lines[4] == "one unused, static_graph  [2, 1, 1, 1]  [0, 0, 2, 0]"
    assert lines[5].endswith("False: 1.0 MiB")
    assert lines[6].endswith("True: 0.5 MiB")
