"""checkpoint.py: one writer, every reader, no half-written file."""

import time
from pathlib import Path

import pytest
import torch
from torch import nn

import checkpoint
from ranks import run_ranks

WEIGHTS = ["weight", "bias"]


def train_through(rank, path):
    """Two epochs, a save, two more: the weights after each half."""
    ddp, optimizer = checkpoint.start(seed=0)
    for epoch in (0, 1):
        checkpoint.train_epoch(ddp, optimizer, epoch)
    checkpoint.save(path, ddp, optimizer, 1)
    half = ddp.module.weight.detach().clone()
    for epoch in (2, 3):
        checkpoint.train_epoch(ddp, optimizer, epoch)
    return half, ddp.module.weight.detach()


def go_on(rank, path):
    """A new group of processes reads the file and trains on."""
    ddp, optimizer = checkpoint.start(seed=1)
    first = checkpoint.load(path, ddp, optimizer, "cpu")
    half = ddp.module.weight.detach().clone()
    for epoch in range(first, 4):
        checkpoint.train_epoch(ddp, optimizer, epoch)
    return first, half, ddp.module.weight.detach()


def go_on_without_optimizer(rank, path):
    ddp, optimizer = checkpoint.start(seed=1)
    ddp.module.load_state_dict(torch.load(path)["model"])
    for epoch in (2, 3):
        checkpoint.train_epoch(ddp, optimizer, epoch)
    return ddp.module.weight.detach()


def save_slowly(rank, path):
    """Rank 0 takes its time; every other rank looks as soon as it may."""
    ddp, optimizer = checkpoint.start(seed=0)
    quick = torch.save
    writers = []

    def slow(*args):
        writers.append(rank)
        time.sleep(0.3)
        quick(*args)

    checkpoint.torch.save = slow
    checkpoint.save(path, ddp, optimizer, 0)
    return writers, Path(path).exists()


def fail_to_save(rank, path):
    """The disk is full halfway through the second save."""
    ddp, optimizer = checkpoint.start(seed=0)
    checkpoint.save(path, ddp, optimizer, 0)

    def full(state, file):
        Path(file).write_bytes(b"half a ch")
        raise OSError("No space left on device")

    checkpoint.torch.save = full
    if rank == 0:
        with pytest.raises(OSError, match="No space left"):
            checkpoint.save(path, ddp, optimizer, 1)
    return torch.load(path)["epoch"]


@pytest.mark.claim(
    zh="从检查点恢复的新进程，最终权重与不中断的训练逐位相同",
    en="New processes that go on from the checkpoint end bit-equal to training without a break",
    against_zh="不中断的 4 个 epoch（Adam，两个 rank）",
    against_en="four epochs without a break (Adam, two ranks)",
    tolerance="0",
)
def test_resumed_equals_uninterrupted(tmp_path):
    path = str(tmp_path / "checkpoint.pt")
    half, end = run_ranks(train_through, 2, path)[0]
    assert not torch.equal(half, end)
    for first, read, resumed in run_ranks(go_on, 2, path):
        assert first == 2
        assert torch.equal(read, half)
        assert torch.equal(resumed, end)
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.pt"]


@pytest.mark.claim(
    zh="只恢复模型、不恢复 Adam 的状态，轨迹就变了",
    en="With the model restored but not Adam's state, training takes another path",
    against_zh="不中断的训练：权重相差超过 0.01",
    against_en="training without a break: the weights differ by more than 0.01",
)
def test_the_optimizer_is_part_of_it(tmp_path):
    path = str(tmp_path / "checkpoint.pt")
    _, end = run_ranks(train_through, 2, path)[0]
    other = run_ranks(go_on_without_optimizer, 2, path)[0]
    assert (other - end).abs().max() > 0.01


@pytest.mark.claim(
    zh="只有 rank 0 写文件；没有 rank 在文件写完之前往下走",
    en="Only rank 0 writes; no rank goes on before the file is whole",
    against_zh="把 rank 0 的写入拖慢 0.3 s，其他 rank 立刻去读",
    against_en="rank 0's write slowed by 0.3 s, the others looking at once",
)
def test_one_writer_and_everybody_waits(tmp_path):
    found = run_ranks(save_slowly, 3, str(tmp_path / "checkpoint.pt"))
    assert found == [([0], True), ([], True), ([], True)]


@pytest.mark.claim(
    zh="写到一半失败，上一个检查点完好",
    en="A save that fails halfway leaves the last checkpoint whole",
    against_zh="写入中途抛出 OSError",
    against_en="an OSError in the middle of writing",
)
def test_a_failed_save_keeps_the_old_file(tmp_path):
    assert run_ranks(fail_to_save, 2, str(tmp_path / "checkpoint.pt")) == [
        0,
        0,
    ]


def test_the_file_fits_a_plain_model(tmp_path):
    path = str(tmp_path / "checkpoint.pt")
    half, _ = run_ranks(train_through, 2, path)[0]
    state = torch.load(path)
    assert list(state["model"]) == WEIGHTS
    model = nn.Linear(4, 1)
    model.load_state_dict(state["model"])
    assert torch.equal(model.weight, half)
