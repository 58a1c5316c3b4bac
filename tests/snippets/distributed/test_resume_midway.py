"""midway_state.py and resume_midway.py: all of a run, saved between two steps."""

import argparse
import random
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.utils import parameters_to_vector
from torch.utils.data import DataLoader, DistributedSampler

import midway_state
import resume_midway
import right_weights_only
import wrong_weights_only
from ranks import RankFailed, run_ranks

SNIPPETS = [
    "distributed/midway_state.py",
    "distributed/resume_midway.py",
    "distributed/wrong_weights_only.py",
    "distributed/right_weights_only.py",
]
SAVED = (1, 5, 7, 15)
torch.set_num_threads(1)


def own_generator(run):
    return run


class Shared:
    """The loader as most people write it: it draws from torch's own numbers."""

    generator = torch.Generator()  # seeded, but not used

    def __init__(self, loader):
        self.loader = loader
        loader.generator = None

    def __iter__(self):
        return iter(self.loader)


def shared_generator(run):
    run.loader = Shared(run.loader)
    return run


def everything(run):
    """Weights, Adam's moments, the learning rate, and the next random numbers."""
    moments = [
        value for state in run.optimizer.state_dict()["state"].values() for value in state.values()
    ]
    lr = torch.tensor(run.optimizer.param_groups[0]["lr"], dtype=torch.float64)
    return [parameters_to_vector(run.model.parameters()).detach(), *moments, lr, torch.rand(3)]


def straight(rank, folder, prepare=own_generator):
    """Train to the end, and save after some of the steps."""
    run = prepare(resume_midway.Run(seed=0))
    steps = 0
    for steps, _ in enumerate(run.steps(), 1):
        if steps in SAVED:
            midway_state.save(f"{folder}/{steps}.pt", run)
    assert steps == 15
    return everything(run)


def resumed(rank, folder, saved=SAVED, prepare=own_generator):
    found = []
    for at in saved:
        run = prepare(resume_midway.Run(seed=1))
        midway_state.load(f"{folder}/{at}.pt", run)
        steps = sum(1 for _ in run.steps())
        assert steps == 15 - at
        found.append(everything(run))
    return found


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    return folder, run_ranks(straight, 2, str(folder))


@pytest.mark.claim(
    zh="在 epoch 中间保存，新进程恢复后训练到底：权重、Adam 状态、学习率、之后的随机数都与不中断时逐位相同",
    en="Saved in the middle of an epoch and resumed by new processes: weights, Adam's state, learning rate and the next random numbers end bit-equal to the run without a break",
    against_zh="不中断的训练，两个 rank，保存在第 1、5、7、15 步之后",
    against_en="the run without a break on two ranks, saved after steps 1, 5, 7 and 15",
    tolerance="0",
    snippets=["distributed/midway_state.py", "distributed/resume_midway.py"],
)
def test_bit_equal(saved):
    folder, expected = saved
    assert not torch.equal(expected[0][-1], expected[1][-1])  # each rank's own numbers
    for runs, wanted in zip(run_ranks(resumed, 2, str(folder)), expected, strict=True):
        for found in runs:
            for a, b in zip(found, wanted, strict=True):
                assert torch.equal(a, b)
    assert sorted(p.name for p in folder.iterdir()) == ["1.pt", "15.pt", "5.pt", "7.pt"]


def test_each_part_counts(tmp_path):
    first, second = run_ranks(printed, 2, str(tmp_path / "checkpoint.pt"))
    assert second == []
    assert first == [
        "without nothing   bit-equal",
        "without model     off by 1.108",
        "without optimizer off by 0.162",
        "without scheduler off by 0.078",
        "without position  off by 0.049",
        "without rng       off by 0.019",
    ]


def printed(rank, path):
    lines = []
    resume_midway.print = lambda text, flush: lines.append(text)
    resume_midway.stop_and_go_on(rank, path)
    return lines


def test_a_loader_that_draws_from_the_same_numbers(tmp_path):
    expected = run_ranks(straight, 2, str(tmp_path), shared_generator)
    found = run_ranks(resumed, 2, str(tmp_path), [7], shared_generator)
    off = (found[0][0][0] - expected[0][0]).abs().max()
    assert f"{off:.3f}" == "0.029"


def test_another_number_of_ranks_is_refused(saved):
    with pytest.raises(RankFailed, match="ValueError: expected 2 ranks, as when saved"):
        run_ranks(resumed, 1, str(saved[0]))


def test_the_file_loads_with_weights_only(saved):
    """Tensors, numbers and containers: torch.load's default takes them."""
    state = torch.load(saved[0] / "7.pt", weights_only=True)
    assert state["position"] == (1, 2)
    assert list(state["model"]) == ["0.weight", "0.bias", "3.weight", "3.bias"]


def fails_while_writing(rank, path):
    run = resume_midway.Run(seed=0)
    midway_state.save(path, run)

    write = torch.save

    def full(state, file, **options):
        if not isinstance(file, str):  # all_gather_object's own buffer
            return write(state, file, **options)
        Path(file).write_bytes(b"half a ch")
        raise OSError("No space left on device")

    midway_state.torch.save = full
    with pytest.raises(OSError, match="No space left"):
        midway_state.save(path, run)
    return torch.load(path)["position"]


def test_a_failed_save_keeps_the_old_file(tmp_path):
    path = str(tmp_path / "checkpoint.pt")
    assert run_ranks(fails_while_writing, 1, path) == [(0, 0)]


def seeds(rank):
    """What the loader's workers are seeded from, as each epoch starts."""
    run = resume_midway.Run(seed=0)
    return [run.loader.generator.initial_seed() for _ in run.steps()]


class Augmented(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.rand(())  # random augmentation, say


def from_workers(rank):
    """Drawn in two workers: by a generator as it is, then seeded by rank."""
    torch.manual_seed(rank)
    drawn = []
    for generator in (torch.Generator(), torch.Generator().manual_seed(rank)):
        loader = DataLoader(Augmented(), num_workers=2, generator=generator)
        drawn.append(torch.cat(list(loader)).tolist())
    return drawn


def test_workers_of_two_ranks_draw_different_numbers():
    for rank, found in enumerate(run_ranks(seeds, 2)):
        assert found == [1000 * epoch + rank for epoch in range(3) for _ in range(5)]
    (same, own), (same_there, other) = (from_workers(rank) for rank in range(2))
    assert same == same_there
    assert own != other


def with_a_gpu(rank, path):
    """The GPU's state is saved whatever the backend is called."""
    torch.cuda.is_initialized = lambda: True
    torch.cuda.get_rng_state = lambda: torch.ones(3, dtype=torch.uint8)
    midway_state.save(path, resume_midway.Run(seed=0))
    return [len(rng) for rng in torch.load(path)["rng"]]


def test_the_gpu_s_numbers_are_saved_over_any_backend(tmp_path):
    assert run_ranks(with_a_gpu, 1, str(tmp_path / "a.pt")) == [[2]]


def test_python_s_random_state_loads(tmp_path):
    torch.save(random.getstate(), tmp_path / "a.pt")
    assert torch.load(tmp_path / "a.pt") == random.getstate()


def test_the_sampler_begins_in_the_middle():
    plain = DistributedSampler(range(11), 2, 1, seed=3)
    shard = midway_state.Shard(range(11), 2, 1, seed=3)
    for sampler in (plain, shard):
        sampler.set_epoch(5)
    assert list(shard) == list(plain)
    shard.start = 4
    assert list(shard) == list(plain)[4:]


def test_weights_only(capsys):
    with pytest.raises(Exception, match="^Weights only load failed.(?s:.*)Unsupported global: GLOBAL argparse.Namespace was not"):
        wrong_weights_only.main()
    right_weights_only.main()
    assert capsys.readouterr().out == "Namespace(lr=0.1, epochs=3)\n{'lr': 0.1, 'epochs': 3}\n"
    assert argparse.Namespace not in torch.serialization.get_safe_globals()


@pytest.mark.parametrize(
    "value, name",
    [
        (np.float64(0.5), "numpy._core.multiarray.scalar"),
        (np.random.RandomState(0).get_state(), "numpy._core.multiarray._reconstruct"),
        (torch.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
    ],
    ids=["numpy number", "numpy state", "module"],
)
def test_what_else_is_refused(tmp_path, value, name):
    torch.save({"value": value}, tmp_path / "a.pt")
    with pytest.raises(Exception, match=f"Unsupported global: GLOBAL {name}"):
        torch.load(tmp_path / "a.pt")
    loaded = torch.load(tmp_path / "a.pt", weights_only=False)
    assert type(loaded["value"]) is type(value)


def test_vars_is_all_of_a_namespace():
    args = argparse.Namespace(lr=0.1, epochs=3)
    assert argparse.Namespace(**vars(args)) == args
