"""reshard.py: what W ranks saved, other numbers of ranks load."""

import shutil
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

import reshard
from ranks import run_ranks

torch.set_num_threads(1)
NAMES = ["0.weight", "0.bias", "2.weight", "2.bias"]


def full(model, optimizer):
    """Weights and Adam's moments, put together by hand from the shards."""
    tensors = {}
    for name, p in model.named_parameters():
        tensors[name] = p.detach().full_tensor()
        for kind, value in optimizer.state[p].items():
            whole = value.full_tensor() if hasattr(value, "full_tensor") else value
            tensors[f"{name} {kind}"] = whole.clone()
    return tensors


def save(rank, folder):
    model, optimizer = reshard.build(seed=0)
    reshard.train(model, optimizer)
    reshard.save(folder, model, optimizer)
    return full(model, optimizer), len(model[0].weight.to_local())


@pytest.fixture(scope="module")
def saved_by_two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "parts"
    return folder, *run_ranks(save, 2, str(folder))[0]


def load(rank, folder):
    """Return the weight before, what was loaded, and the rows that are here."""
    model, optimizer = reshard.build(seed=1)
    before = model[0].weight.detach().full_tensor().clone()
    reshard.load(folder, model, optimizer)
    return before, full(model, optimizer), len(model[0].weight.to_local())


@pytest.mark.claim(
    zh="2 个 rank 存下的 FSDP2 模型与 Adam 状态，由 1、2、4 个 rank 读入，逐位相同",
    en="An FSDP2 model and Adam's state saved on 2 ranks and loaded on 1, 2 and 4 are bit-equal",
    against_zh="保存前由各分片拼出的完整张量，12 个参数与动量、4 个步数",
    against_en="the whole tensors put together from the shards before saving: 12 parameters and moments, 4 step counts",
    tolerance="0",
)
def test_other_numbers_of_ranks(saved_by_two):
    folder, saved, rows = saved_by_two
    assert rows == 4
    assert sorted(p.name for p in folder.iterdir()) == [
        ".metadata", "__0_0.distcp", "__1_0.distcp"
    ]
    for world_size in (1, 2, 4):
        results = run_ranks(load, world_size, str(folder))
        rows = [rows for *_, rows in results]
        assert rows == {1: [7], 2: [4, 3], 4: [2, 2, 2, 1]}[world_size]
        for before, loaded, _ in results:
            assert len(saved) == 16 and loaded.keys() == saved.keys()
            assert not torch.equal(before, saved["0.weight"])
            for name, tensor in saved.items():
                assert torch.equal(loaded[name], tensor), name


def test_one_ordinary_file(saved_by_two, tmp_path):
    folder, saved, _ = saved_by_two
    dcp_to_torch_save(folder, tmp_path / "whole.pt")
    net = nn.Sequential(nn.Linear(10, 7), nn.Tanh(), nn.Linear(7, 3))
    net.load_state_dict(torch.load(tmp_path / "whole.pt")["model"])
    for name in NAMES:
        assert torch.equal(net.get_parameter(name), saved[name])


def torn_overwrite(rank, folder):
    """Save twice, and let only rank 0's file of the second replace the first."""
    model, optimizer = reshard.build(seed=0)
    weights = []
    for name in ("a", "b"):
        reshard.train(model, optimizer)
        reshard.save(f"{folder}/{name}", model, optimizer)
        weights.append(full(model, optimizer)["0.weight"])
    if rank == 0:
        shutil.copy(f"{folder}/b/__0_0.distcp", f"{folder}/a/__0_0.distcp")
    dist.barrier()
    reshard.load(f"{folder}/a", model, optimizer)
    loaded = full(model, optimizer)["0.weight"]
    (Path(folder) / "c").mkdir(exist_ok=True)
    return *weights, loaded, loads_something_else(rank, f"{folder}/c/parts")


def test_half_overwritten_it_loads_as_a_mixture(tmp_path):
    """And a difference is seen, when something else is loaded."""
    old, new, loaded, lines = run_ranks(torn_overwrite, 2, str(tmp_path))[0]
    assert lines[-1].endswith("bit-equal: False")
    assert not torch.isclose(old, new).any()
    assert torch.equal(loaded, torch.cat([new[:4], old[4:]]))


def printed(rank, folder):
    lines = []
    reshard.print = lambda text, end="\n", flush=False: lines.append(text + end)
    reshard.reshard(rank, folder)
    return "".join(lines)


def other_folder(rank, folder):
    """Under torchrun each rank has made a temporary folder of its own."""
    return printed(rank, f"{folder}/{rank}")


def test_what_is_printed(tmp_path):
    """And all ranks use rank 0's folder."""
    (tmp_path / "0").mkdir()
    found = run_ranks(other_folder, 2, str(tmp_path))
    assert found == ["W = 2: 4 of 7 rows, bit-equal: True\n", ""]
    assert [p.name for p in tmp_path.iterdir()] == ["0"]
    found = run_ranks(printed, 1, str(tmp_path / "0"))
    assert found == ["W = 1: 7 of 7 rows, bit-equal: True\n"]


def loads_something_else(rank, folder):
    model, optimizer = reshard.build(seed=0)
    reshard.train(model, optimizer)
    reshard.save(folder, model, optimizer)
    reshard.train(model, optimizer)
    whole, lines = reshard.whole(model, optimizer), []
    if rank == 0:
        torch.save(whole, f"{folder}/../whole.pt")
    reshard.print = lambda text, end="\n", flush=False: lines.append(text)
    reshard.reshard(rank, folder.removesuffix("/parts"))
    return lines
