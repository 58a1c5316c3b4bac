"""elastic_train.py: killed and restarted, it ends where it would have ended."""

import contextlib
import importlib.util
import io
import os
import runpy
import shutil
import sys
from datetime import timedelta
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import torch
from elastic_reference import Uninterrupted
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import RendezvousTimeout
from torch.distributed.launcher.api import LaunchConfig
from torch.distributed.run import get_args_parser

import elastic_train
from process import run
from ranks import RankFailed, run_ranks

SNIPPETS = ["distributed/elastic_train.py"]
FOLDER = Path(elastic_train.__file__).parent


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    return Uninterrupted(tmp_path_factory.mktemp("uninterrupted") / "run.pt")


class Stopped(Exception):
    """What stands for SIGKILL within a test."""


def stop(*args):
    raise Stopped


def printed_by(train, *args):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        train(*args)
    return printed.getvalue()


def stopped(rank, path, kill_at):
    """Attempt 0 and nothing after it; rank 1 stops before a step."""
    os.environ["TORCHELASTIC_RESTART_COUNT"] = "0"
    elastic_train.os.kill = stop
    elastic_train.train("cpu", path, kill_at)


def resumed(rank, path, forget):
    """Attempt 1, in which `forget` names what is not restored."""
    os.environ["TORCHELASTIC_RESTART_COUNT"] = "1"
    whole = torch.load(path)
    if forget == "optimizer":
        fresh = torch.optim.Adam(elastic_train.make_model().parameters(), lr=0.01)
        whole["optimizer"] = fresh.state_dict()
        for group in whole["optimizer"]["param_groups"]:
            group["lr"] = 0.01
    elif forget == "step":
        whole["step"] -= 1
    elif forget == "seed":
        elastic_train.torch.manual_seed = lambda n: None
        torch.set_rng_state(torch.Generator().manual_seed(rank).get_state())
    elastic_train.torch.load = lambda *args, **options: whole
    return printed_by(elastic_train.train, "cpu", path)


def stop_and_resume(path, kill_at, forget=None):
    with pytest.raises(RankFailed, match="Stopped"):
        run_ranks(stopped, 2, str(path), kill_at)
    return run_ranks(resumed, 2, str(path), forget)


def no_checkpoint(rank):
    return printed_by(elastic_train.train, "cpu")


@pytest.mark.claim(
    zh="真实的 torchrun，一个 worker 在第 14 步被 SIGKILL，重启后结束时的检查点（模型、Adam 状态、步数）逐位相同",
    en="A real torchrun with a worker killed by SIGKILL at step 14: the checkpoint at the end (model, Adam's state, step) is bit-equal",
    against_zh="不中断的训练",
    against_en="training without a break",
    tolerance="0",
    snippets=["distributed/elastic_train.py", "distributed/kill_and_restart.sh"],
)
def test_killed_and_restarted(tmp_path, uninterrupted, request):
    for name in ("elastic_train.py", "kill_and_restart.sh"):
        shutil.copy(FOLDER / name, tmp_path)
    done = run(["bash", "-euo", "pipefail", "kill_and_restart.sh"], tmp_path, 180)
    assert done.returncode == 0, done.stderr
    assert "exitcode: -9" in done.stderr
    uninterrupted.compare(tmp_path / "run.pt")
    assert not (tmp_path / "run.pt.part").exists()

    shown = FOLDER / "kill_and_restart.out"
    if request.config.getoption("--update"):
        shown.write_text(done.stdout, "utf-8")
    # The weights' digest is of this machine's arithmetic; the rest is not.
    *lines, last = done.stdout.splitlines()
    assert lines == shown.read_text("utf-8").splitlines()[:-1]
    assert lines == ["attempt 0: from step 0", "attempt 1: from step 12"]
    assert last.startswith("weights 0x")


def test_the_page_shows_one_digest_in_both_outputs():
    outputs = [
        (FOLDER / name).read_text("utf-8").splitlines()
        for name in ("elastic_train.out", "kill_and_restart.out")
    ]
    assert outputs[0][0] == outputs[1][0] == "attempt 0: from step 0"
    assert outputs[0][-1] == outputs[1][-1]


def by_hand():
    """The same training in one process: both ranks' gradients, averaged."""
    model = elastic_train.make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = elastic_train.make_dataset().tensors
    for step in range(24):
        epoch, batch = divmod(step, 8)
        order = torch.randperm(512, generator=torch.Generator().manual_seed(epoch))
        optimizer.zero_grad()
        for rank in range(2):
            mine = order[rank::2][batch * 32:(batch + 1) * 32]
            torch.manual_seed(2 * step + rank)
            loss = torch.nn.functional.cross_entropy(model(x[mine]), y[mine])
            (loss / 2).backward()
        optimizer.step()
    return model.state_dict()


def test_the_training_itself(uninterrupted):
    for name, weight in by_hand().items():
        torch.testing.assert_close(
            uninterrupted.state["model"][name], weight, rtol=0, atol=1e-5
        )
    assert uninterrupted.state["step"] == 24


@pytest.mark.claim(
    zh="在第 1、5、9、14、23 步停下再恢复，结束时的检查点都逐位相同",
    en="Stopped at step 1, 5, 9, 14 or 23 and resumed, it ends with a bit-equal checkpoint",
    against_zh="不中断的训练",
    against_en="training without a break",
    tolerance="0",
)
@pytest.mark.parametrize("kill_at, first", [(1, None), (5, 4), (9, 8), (14, 12), (23, 20)])
def test_resumed_from_any_step(tmp_path, uninterrupted, kill_at, first):
    path = tmp_path / "run.pt"
    if first is None:  # nothing was saved yet
        with pytest.raises(RankFailed, match="Stopped"):
            run_ranks(stopped, 2, str(path), kill_at)
        assert not path.exists()
        run_ranks(resumed_without_file, 2, str(path))
    else:
        printed = stop_and_resume(path, kill_at)
        assert printed == [f"attempt 1: from step {first}\n", ""]
    uninterrupted.compare(path)


def resumed_without_file(rank, path):
    elastic_train.train("cpu", path)


@pytest.mark.claim(
    zh="少存一样就不再相同：优化器、步数、每步的随机种子，缺哪一样都有测试",
    en="One thing less and it is no longer equal: the optimizer, the step, the seed of each step, each with a test",
    against_zh="不中断的训练",
    against_en="training without a break",
)
@pytest.mark.parametrize("forget", ["optimizer", "step", "seed"])
def test_each_part_of_the_state_is_needed(tmp_path, uninterrupted, forget):
    stop_and_resume(tmp_path / "run.pt", 14, forget)
    with pytest.raises(AssertionError):
        uninterrupted.compare(tmp_path / "run.pt")


def test_a_finished_run_is_not_run_again(tmp_path, uninterrupted):
    path = tmp_path / "run.pt"
    torch.save(uninterrupted.state, path)
    assert run_ranks(resumed, 2, str(path), None)[0] == "attempt 1: from step 24\n"
    uninterrupted.compare(path)


def test_another_number_of_ranks_goes_on_at_the_same_step(tmp_path, uninterrupted):
    """A batch has 64 samples in all, so a step is the same one on 4 ranks."""
    path = tmp_path / "run.pt"
    with pytest.raises(RankFailed, match="Stopped"):
        run_ranks(stopped, 2, str(path), 14)
    assert run_ranks(resumed, 4, str(path), None)[0] == "attempt 1: from step 12\n"
    assert torch.load(path)["step"] == 24
    with pytest.raises(AssertionError):  # another order of summation, other masks
        uninterrupted.compare(path)


def test_a_number_of_ranks_that_would_move_the_steps_is_refused():
    with pytest.raises(RankFailed, match="ValueError: 3 ranks cannot share 64 samples"):
        run_ranks(no_checkpoint, 3)
    # What it prevents: 63 samples a batch, so that step 12 is another batch.
    sampler = elastic_train.DistributedSampler(elastic_train.make_dataset(), 3, 0)
    assert 3 * (64 // 3) == 63
    assert -(-len(sampler) // (64 // 3)) == 9


def own_file(rank, folder):
    elastic_train.train("cpu", f"{folder}/{rank}.pt")


@pytest.mark.claim(
    zh="检查点只有一个 rank 看得到时，脚本报错，不会把两个步混着训练",
    en="When only one rank can see the checkpoint, the script raises and does not mix two steps",
    against_zh="两个 rank 各有自己的路径，rank 0 的在第 12 步",
    against_en="two ranks with a path each, rank 0's at step 12",
)
def test_a_checkpoint_that_one_rank_cannot_see(tmp_path):
    with pytest.raises(RankFailed, match="Stopped"):
        run_ranks(stopped, 2, str(tmp_path / "0.pt"), 14)
    before = (tmp_path / "0.pt").read_bytes()
    with pytest.raises(RankFailed, match=r"ranks start from \[12, 0\]: is \S+ shared\?"):
        run_ranks(own_file, 2, str(tmp_path))
    assert (tmp_path / "0.pt").read_bytes() == before
    assert not (tmp_path / "1.pt").exists()


@pytest.mark.parametrize("gpus, ranks", [(0, 2), (1, 2), (4, 4)])
def test_how_many_ranks_plain_python_starts(monkeypatch, gpus, ranks):
    monkeypatch.setenv("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "0")  # is restored
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(sys, "argv", ["elastic_train.py", "run.pt"])
    given = []
    monkeypatch.setattr("torch.distributed.run.main", given.extend)
    runpy.run_path(elastic_train.__file__, run_name="__main__")
    assert get_args_parser().parse_args(given).nproc_per_node == str(ranks)
    assert "--max-restarts=3" in given and given[-1] == "run.pt"
    assert os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] == "1"


def test_limits(monkeypatch):
    """Two minutes for a collective; 30 s between SIGTERM and SIGKILL."""
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "1000")
    asked = {}

    def ask(backend, **options):
        asked.update(options, backend=backend)
        raise Stopped

    monkeypatch.setattr(elastic_train.dist, "init_process_group", ask)
    with pytest.raises(Stopped):
        elastic_train.main([])
    assert asked == {"backend": "gloo", "timeout": timedelta(minutes=2)}
    monkeypatch.delenv("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", raising=False)
    assert LaunchConfig(1, 1, 1).shutdown_timeout == 30
    assert RendezvousTimeout().join == timedelta(seconds=600)


def test_elastic_is_part_of_torch():
    assert importlib.util.find_spec("torchelastic") is None
    assert importlib.util.find_spec("etcd") is None
    (command,) = entry_points(group="console_scripts", name="torchrun")
    assert command.value == "torch.distributed.run:main"
    assert command.dist.name == "torch"
    args = get_args_parser().parse_args(["elastic_train.py"])
    assert args.max_restarts == 0


def one_save(rank, path):
    """Save at the end alone; return how often this rank wrote."""
    writes, write = [], torch.save

    def spy(*args):
        writes.append(rank)
        write(*args)

    elastic_train.torch.save, elastic_train.SAVE_EVERY = spy, 100
    elastic_train.train("cpu", path)
    return len(writes)


def test_the_end_is_saved_and_rank_0_alone_writes(tmp_path, uninterrupted):
    path = tmp_path / "run.pt"
    assert run_ranks(one_save, 2, str(path)) == [1, 0]
    uninterrupted.compare(path)


def test_without_a_path_nothing_is_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_ranks(no_checkpoint, 2) == ["attempt 0: from step 0\n", ""]
    assert not list(tmp_path.iterdir())


@pytest.mark.gpu
@pytest.mark.claim(
    zh="同样的杀死与重启，在两块 GPU 上用 NCCL",
    en="The same kill and restart on two GPUs over NCCL",
    against_zh="CPU 上不中断的训练所存的步数",
    against_en="the step that training without a break on the CPU has saved",
)
def test_two_gpus(tmp_path, uninterrupted):
    if torch.cuda.device_count() < 2:
        pytest.skip("fewer than two CUDA GPUs here")
    for name in ("elastic_train.py", "kill_and_restart.sh"):
        shutil.copy(FOLDER / name, tmp_path)
    done = run(["bash", "-euo", "pipefail", "kill_and_restart.sh"], tmp_path, 180)
    assert done.returncode == 0, done.stderr
    state = torch.load(tmp_path / "run.pt", map_location="cpu")
    assert state["step"] == uninterrupted.state["step"]
    assert done.stdout.startswith("attempt 0: from step 0\nattempt 1: from step 12\n")
