"""wrong_torn_checkpoint.py and right_torn_checkpoint.py: killed while saving."""

import os
from pathlib import Path

import pytest
import torch

import right_torn_checkpoint
import torn_write
import wrong_torn_checkpoint
from ranks import RankFailed, run_ranks

SNIPPETS = [
    "distributed/wrong_torn_checkpoint.py",
    "distributed/right_torn_checkpoint.py",
    "distributed/torn_write.py",
]


def printed(rank, save):
    lines = []
    torn_write.print = lambda *words: lines.append(" ".join(map(str, words)))
    torn_write.two_attempts(save)
    return lines


def test_half_a_file_is_no_checkpoint():
    with pytest.raises(RankFailed) as failed:
        run_ranks(printed, 1, wrong_torn_checkpoint.save)
    assert (
        "PytorchStreamReader failed reading zip archive: failed finding "
        "central directory" in str(failed.value)
    )


@pytest.mark.parametrize("length, error", [
    (0, EOFError), (5_000, OSError), (60_000, OSError), (100_000, RuntimeError)])
def test_the_error_depends_on_the_length(tmp_path, length, error):
    path = tmp_path / "run.pt"
    torch.save({"model": torch.zeros(200, 200)}, path)
    os.truncate(path, length)
    with pytest.raises(error) as raised:
        torch.load(path)
    if error is OSError:
        assert "[Errno 22] Invalid argument" in str(raised.value)


def test_the_last_whole_file_stays():
    assert run_ranks(printed, 1, right_torn_checkpoint.save) == [
        ["attempt 1: from step 4"]
    ]


@pytest.mark.parametrize("module", [wrong_torn_checkpoint, right_torn_checkpoint])
def test_undisturbed_both_save(module, tmp_path):
    path = str(tmp_path / "run.pt")
    module.save({"step": 8}, path)
    assert torch.load(path) == {"step": 8}
    assert os.listdir(tmp_path) == ["run.pt"]


def test_the_file_is_longer_than_what_is_written_before_the_kill(tmp_path):
    with open(tmp_path / "run.pt", "wb") as file:
        torn_write.write({"model": torch.zeros(200, 200)}, file, kill=False)
    assert Path(file.name).stat().st_size > torn_write.AFTER
