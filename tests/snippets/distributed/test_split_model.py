"""split_model.py against backpropagation by hand, in NumPy."""

import numpy as np
import pytest
import torch
import torch.distributed as dist

import split_model
from ranks import run_ranks


def gradients(rank, world_size):
    return [g.numpy() for g in split_model.gradients(rank, world_size)]


def ids(rank):
    split_model.two_devices(rank, dist.get_world_size())
    ddp = split_model.DDP(split_model.Split("cpu", "cpu"))
    return ddp.device_ids, ddp.output_device


def printed(rank):
    lines = []
    split_model.print = lambda text, flush=False: lines.append(text)
    split_model.main(rank)
    return lines


def by_hand():
    model = split_model.Split("cpu", "cpu")
    a, b, c, d = (p.detach().numpy() for p in model.parameters())
    x = np.linspace(-1, 1, 32).reshape(8, 4)
    before = x @ a.T + b
    h = np.maximum(before, 0)
    dy = 2 * (h @ c.T + d) / 8
    dh = dy @ c * (before > 0)
    return [dh.T @ x, dh.sum(0), dy.T @ h, dy.sum(0)]


@pytest.mark.claim(
    zh="把模型切到两个设备再用 DDP（不写 device_ids）：梯度等于一个进程的整批梯度（W = 2、4；这里两个设备都是 CPU）",
    en="A model split over two devices inside DDP, without device_ids: the gradients of the whole batch in one process (W = 2, 4; here both devices are the CPU)",
    against_zh="NumPy 手写的反向传播",
    against_en="backpropagation by hand in NumPy",
    tolerance="1e-14",
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_gradients_of_a_split_model(world_size):
    for grads in run_ranks(gradients, world_size, world_size):
        for ours, theirs in zip(grads, by_hand(), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_one_process_is_the_same():
    for ours, theirs in zip(split_model.whole(), by_hand(), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=0, atol=1e-14)


def test_no_device_ids():
    assert run_ranks(ids, 2) == [(None, None)] * 2


def test_which_gpus_a_rank_takes(monkeypatch):
    """By local rank: ranks 2 and 3 of two machines take the same numbers."""
    monkeypatch.setattr(split_model, "device", lambda: torch.device("cuda", 0))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    pairs = [split_model.two_devices(rank, 2) for rank in (0, 1)]
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    for rank in (2, 3):
        monkeypatch.setenv("LOCAL_RANK", str(rank - 2))
        pairs.append(split_model.two_devices(rank, 4))
    want = [["cuda:0", "cuda:2"], ["cuda:1", "cuda:3"]]
    assert [[str(d) for d in pair] for pair in pairs] == want * 2
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    with pytest.raises(RuntimeError, match="2 ranks here need 4 GPUs"):
        split_model.two_devices(2, 4)


def test_halves_stay_where_they_are():
    model = split_model.Split("cpu", "meta")
    assert [p.device.type for p in model.parameters()] == ["cpu"] * 2 + ["meta"] * 2
    assert model(torch.ones(1, 4, dtype=torch.float64)).device.type == "meta"


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert lines == ["front on cpu, back on cpu", "gradients of one process: True"]
