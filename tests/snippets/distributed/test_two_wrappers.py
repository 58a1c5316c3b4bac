"""two_wrappers.py: one process with threads against W processes."""

import inspect
import sys

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.parallel import replicate

import two_wrappers
from ranks import run_ranks


def compare(rank):
    return two_wrappers.compare(rank)


def printed(rank):
    lines = []
    two_wrappers.print = lambda text, flush=False: lines.append(text)
    two_wrappers.table(rank)
    return lines


def closed_form():
    """d mean((w x + b)^2) / dw = 2 mean((w x + b) x), in NumPy."""
    w, b = (p.item() for p in two_wrappers.Layer([]).parameters())
    x = np.arange(4.0)
    return f"{2 * np.mean((w * x + b) * x):.4f}"


@pytest.mark.claim(
    zh="同样 4 个样本：DataParallel 的每次前向调用 scatter、replicate、parallel_apply、gather，输出 4 行；DDP 的前向没有通信，两个进程各得 2 行。梯度相同",
    en="On the same 4 samples: every forward of DataParallel calls scatter, replicate, parallel_apply and gather, and gives 4 rows; DDP's forwards communicate nothing, and two processes have 2 rows each. The gradients are equal",
    against_zh="NumPy 闭式解与计数；DataParallel 的 forward 是 torch 的，它调用的四个方法在 CPU 上重写",
    against_en="the closed form in NumPy, and counts; DataParallel's forward is torch's own, the four methods it calls are rewritten for the CPU",
    tolerance="5e-5",
)
def test_point_by_point():
    (dp, rows), (_, same) = run_ranks(compare, 2)
    assert rows == same
    assert (len(dp["processes"]), dp["threads"]) == (1, 6)
    assert dp["calls in 3 forwards"] == 12
    assert (dp["rows of output"], dp["Adam moments"]) == (4, 2)
    assert len(set.union(*(row["processes"] for row in rows))) == 2
    for row in rows:
        assert (row["threads"], row["calls in 3 forwards"]) == (1, 0)
        assert (row["rows of output"], row["Adam moments"]) == (2, 2)
    for row in (dp, *rows):
        assert row["gradient"] == closed_form() == "1.5569"


def test_its_forward_is_torch_s():
    assert two_wrappers.TwoStandIns.forward is nn.DataParallel.forward
    calls, ran_in = [], []
    wrapped = two_wrappers.TwoStandIns(two_wrappers.Layer(ran_in), calls)
    wrapped(torch.ones(4, 1))
    assert calls == ["scatter", "replicate", "parallel_apply", "gather"]
    assert len(set(ran_in)) == 2
    assert list(wrapped.state_dict()) == ["module.weight", "module.bias"]


def test_one_thread_for_each_replica():
    """What the real methods do, in the source of the installed torch."""
    module = sys.modules["torch.nn.parallel.parallel_apply"]
    assert "threading.Thread(" in inspect.getsource(module)
    assert "replicate" in inspect.getsource(nn.DataParallel.forward)
    assert "broadcast_coalesced" in inspect.getsource(sys.modules[replicate.__module__])


@pytest.mark.skipif(torch.cuda.is_available(), reason="for a machine without")
@pytest.mark.claim(
    zh="没有 GPU 时，DataParallel 直通：device_ids 为空列表，原模型收到整批",
    en="Without a GPU, DataParallel passes straight through: device_ids is empty, and the module gets the whole batch",
    against_zh="记录原模型收到的行数",
    against_en="the number of rows that the module received",
)
def test_data_parallel_does_nothing_on_a_cpu():
    rows = []

    class Count(nn.Linear):
        def forward(self, x):
            rows.append(len(x))
            return super().forward(x)

    wrapped = nn.DataParallel(Count(1, 1), device_ids=[0, 1])
    wrapped(torch.ones(4, 1))
    assert (wrapped.device_ids, rows) == ([], [4])


def two_trips(rank):
    """A DDP module is entered in this very process."""
    ran_in = []
    ddp = DDP(two_wrappers.Layer(ran_in))
    ddp(torch.ones(1, 1))
    assert list(ddp.state_dict()) == ["module.weight", "module.bias"]
    return len(ran_in)


def test_ddp_calls_the_module_itself():
    assert run_ranks(two_trips, 2) == [1, 1]


@pytest.mark.gpu
@pytest.mark.claim(
    zh="两块 GPU 上的 DataParallel：每次前向用两个副本，输出收到 GPU 0",
    en="DataParallel on two GPUs: two replicas in each forward, and the output gathered on GPU 0",
    against_zh="记录每个副本的设备",
    against_en="the device of each replica",
)
def test_data_parallel_on_two_gpus():
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs | 需要两块 GPU")
    seen = []

    class Note(nn.Linear):
        def forward(self, x):
            seen.append(x.get_device())
            return super().forward(x)

    wrapped = nn.DataParallel(Note(1, 1).cuda(), device_ids=[0, 1])
    for _ in range(2):
        assert wrapped(torch.ones(4, 1).cuda()).get_device() == 0
    assert sorted(seen) == [0, 0, 1, 1]


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert lines[0].split() == ["DataParallel", "DDP"]
    table = [[line[:20].strip(), line[20:33].strip(), line[33:].strip()] for line in lines[1:]]
    assert table == [
        ["processes", "1", "2"],
        ["threads", "6", "1"],
        ["calls in 3 forwards", "12", "0"],
        ["rows of output", "4", "2"],
        ["Adam moments", "2", "2"],
        ["gradient", "1.5569", "1.5569"],
    ]
