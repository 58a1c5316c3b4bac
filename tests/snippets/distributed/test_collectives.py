"""collectives.py against NumPy, and what gloo really sends."""

import contextlib
import os
import socket
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import BackendConfig

import collectives
from ranks import run_ranks

NAMES = [f.__name__ for f in collectives.MOVES + collectives.SUMS]


def numbers(world_size):
    """One row a rank."""
    return np.random.default_rng(world_size).integers(0, 99, (world_size, world_size))


def expected(name, x):
    """What each rank should hold, from all ranks' numbers at once."""
    world_size, total, nothing = len(x), x.sum(0), x[0, :0]
    rest = [nothing] * (world_size - 1)
    return {
        "broadcast": [x[0]] * world_size,
        "scatter": [x[0, r:r + 1] for r in range(world_size)],
        "gather": [x[:, 0], *rest],
        "all_gather": [x[:, 0]] * world_size,
        "all_to_all": list(x.T),
        "reduce": [total, *rest],
        "all_reduce": [total] * world_size,
        "reduce_scatter": [total[r:r + 1] for r in range(world_size)],
    }[name]


def run_all(rank):
    x = torch.from_numpy(numbers(dist.get_world_size()))
    return {f.__name__: f(x[rank].clone()).numpy()
            for f in collectives.MOVES + collectives.SUMS}


@pytest.mark.claim(
    zh="gloo 上八种集合通信都能运行，每个 rank 得到的数都对",
    en="All eight collectives run on gloo, and each rank holds the right numbers",
    against_zh="NumPy 对全部 rank 的随机整数直接计算，2、3、4 个 rank",
    against_en="NumPy on all ranks' random integers at once; 2, 3 and 4 ranks",
    tolerance="0",
)
@pytest.mark.parametrize("world_size", [2, 3, 4])
def test_every_rank_holds_what_it_should(world_size):
    got = run_ranks(run_all, world_size)
    for name in NAMES:
        for rank, want in enumerate(expected(name, numbers(world_size))):
            np.testing.assert_array_equal(got[rank][name], want, err_msg=name)


def printed(rank):
    lines = []
    collectives.print = lambda *words, flush=False: lines.append(" ".join(words))
    collectives.show(rank)
    return [line.split() for line in lines]


def test_the_numbers_in_the_text_and_the_figure():
    table, *others = run_ranks(printed, 4)
    assert table[0] == ["rank", "0", "rank", "1", "rank", "2", "rank", "3"]
    assert table[1] == ["before", *(f"{r}{c}" for r in range(4) for c in range(4))]
    assert ["all_reduce", *["60", "64", "68", "72"] * 4] in table
    assert ["reduce_scatter", "60", "64", "68", "72"] in table
    assert ["reduce", "60", "64", "68", "72", "-", "-", "-"] in table
    assert [row[0] for row in table[2:]] == NAMES
    assert others == [[]] * 3


def left_behind(rank):
    x = torch.arange(4) + 10 * rank
    dist.reduce(x, 0)
    return x.tolist()


def test_reduce_spoils_the_other_ranks_tensors():
    """After gloo's reduce the other ranks' tensors hold unfinished sums, not
    what they held before.
    """
    root, *others = run_ranks(left_behind, 4)
    assert root == [60, 64, 68, 72]
    before = [[10 * rank + c for c in range(4)] for rank in (1, 2, 3)]
    assert any(x != b for x, b in zip(others, before, strict=True))


def gradients(rank):
    grad = torch.full((5,), rank + 1.0)
    dist.all_reduce(grad)
    return grad


def test_a_rank_gets_the_sum_not_every_gradient():
    """After all_reduce each rank has one sum of the same shape, not the list of
    the ranks' gradients.
    """
    for grad in run_ranks(gradients, 3):
        assert grad.shape == (5,) and (grad == 6).all()


def sent_so_far():
    """Bytes that this process's TCP connections have sent: Linux counts them."""
    total = 0
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError, struct.error):  # closed, or not TCP
            if os.readlink(link).startswith("socket:"):
                with socket.socket(fileno=os.dup(int(link.name))) as connection:
                    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                    sent, again = struct.unpack_from("QQ", info, 200)  # tcpi_bytes_sent, _retrans
                    total += sent - again
    return total


def traffic(rank):
    """Bytes sent per collective, in units of S, a rank's whole tensor."""
    size = 2**18
    x = torch.ones(size)
    part = size // dist.get_world_size()
    pieces, piece = list(x.split(part)), torch.empty(part)
    calls = {
        "broadcast": lambda: dist.broadcast(x, 0),
        "scatter": lambda: dist.scatter(piece, pieces if rank == 0 else None),
        "gather": lambda: dist.gather(piece, pieces if rank == 0 else None),
        "all_gather": lambda: dist.all_gather(pieces, piece),
        "reduce": lambda: dist.reduce(x, 0),
        "reduce_scatter": lambda: dist.reduce_scatter(piece, pieces),
        "all_reduce": lambda: dist.all_reduce(x),
        "all_to_all": lambda: dist.all_to_all_single(torch.empty(size), x),
    }
    counted = {}
    for name, call in calls.items():
        dist.barrier()
        before = sent_so_far()
        call()
        dist.barrier()
        counted[name] = (sent_so_far() - before) / (4 * size)
    return counted


@pytest.mark.claim(
    zh="gloo 四个 rank 各发送多少字节，如表所示；它的 reduce_scatter 发送 1.5 S，与 all_reduce 相同，是环的两倍",
    en="What four ranks send over gloo is what the table says; its reduce_scatter sends 1.5 S, as much as all_reduce and twice a ring's",
    against_zh="Linux 内核对每个 TCP 连接的计数（TCP_INFO）",
    against_en="the Linux kernel's count for each TCP connection (TCP_INFO)",
    tolerance="0.02 S",
)
def test_bytes_that_a_rank_sends():
    counted = run_ranks(traffic, 4)
    if not any(counted[0].values()):
        pytest.skip("this kernel does not count bytes | 这个内核不计字节数")
    for name, want in {
        "broadcast": [2, 1, 0, 0],
        "scatter": [0.75, 0, 0, 0],
        "gather": [0, 0.25, 0.25, 0.25],
        "all_gather": [0.75] * 4,
        "reduce": [0.75, 1, 1, 1],
        "reduce_scatter": [1.5] * 4,
        "all_reduce": [1.5] * 4,
        "all_to_all": [0.75] * 4,
    }.items():
        got = [rank[name] for rank in counted]
        assert got == pytest.approx(want, abs=0.02), name


def test_which_backend_serves_which_device():
    """The table of backends, from the installed torch."""
    backend = dist.Backend
    assert backend.backend_capability["gloo"] == ["cpu", "cuda"]
    assert backend.backend_capability["nccl"] == ["cuda"]
    assert backend.default_device_backend_map["cpu"] == "gloo"
    assert backend.default_device_backend_map["cuda"] == "nccl"


@pytest.mark.parametrize(("device", "backend"), [("cpu", "gloo"), ("cuda", "nccl")])
def test_without_a_backend_there_is_one_for_the_device_found(monkeypatch, device, backend):
    found = torch.device(device)
    monkeypatch.setattr(torch._C, "_get_accelerator", lambda: found)
    config = BackendConfig(dist.Backend(dist.Backend.UNDEFINED))
    assert config.device_backend_map == {device: backend}
    both = {"cpu": "gloo", "cuda": "nccl"}
    assert BackendConfig("cpu:gloo,cuda:nccl").device_backend_map == both


@pytest.mark.skipif(dist.is_nccl_available(), reason="this torch has NCCL | 这个 torch 带 NCCL")
@pytest.mark.filterwarnings("ignore:Attempted to get default timeout")
def test_a_cpu_build_has_no_nccl():
    with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in"):
        dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)


def averaged(rank):
    x = torch.tensor([rank + 1.0, 4.0], dtype=torch.bfloat16)
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    return x.tolist()


def test_gloo_averages_bfloat16():
    assert run_ranks(averaged, 2) == [[1.5, 4.0]] * 2


@pytest.mark.gpu
@pytest.mark.claim(
    zh="nccl：多块 GPU 上的八种集合通信",
    en="nccl: the eight collectives on several GPUs",
    against_zh="NumPy",
    against_en="NumPy",
    tolerance="0",
)
def test_collectives_on_gpus(capfd):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs | 需要两块 GPU")
    collectives.launch(collectives.show, 2, backend="nccl")
    rows = dict(line.split(maxsplit=1) for line in capfd.readouterr().out.splitlines()[1:])
    assert rows["all_reduce"].split() == ["10", "12"] * 2
    assert rows["all_to_all"].split() == ["00", "10", "01", "11"]
