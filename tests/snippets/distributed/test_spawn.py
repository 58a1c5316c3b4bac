"""spawn_ranks.py and wrong_spawn_local.py; what else goes wrong at the start."""

import runpy
import sys

import pytest
import torch.distributed as dist
import torch.multiprocessing as mp

import spawn_ranks
import wrong_spawn_local
from ranks import run_ranks
from warm import run_script

SNIPPETS = ["distributed/spawn_ranks.py", "distributed/wrong_spawn_local.py"]
NO_GUARD = """import torch.multiprocessing as mp


def train(rank):
    print(rank)


mp.spawn(train, nprocs=1)
"""


def ranks_of_its_own(rank, world_size, folder):
    dist.destroy_process_group()
    lines = []
    spawn_ranks.print = lambda text, flush: lines.append(text)
    spawn_ranks.train(rank, world_size, folder)
    return lines, dist.is_initialized()


def spawned(monkeypatch, variables):
    """What the script hands to mp.spawn when run as a script."""
    calls = []
    monkeypatch.setattr(mp, "spawn", lambda *args, **kwargs: calls.append((args, kwargs)))
    monkeypatch.delenv("RANK", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    runpy.run_path(spawn_ranks.__file__, run_name="__main__")
    return calls


def test_each_rank_joins_the_group(tmp_path):
    answers = run_ranks(ranks_of_its_own, 2, 2, str(tmp_path))
    assert answers == [([f"rank {r}: 1 + 2 = 3"], False) for r in (0, 1)]


def test_it_starts_two(monkeypatch):
    ((args, kwargs),) = spawned(monkeypatch, {})
    assert args[0].__name__ == "train"
    assert kwargs["nprocs"] == kwargs["args"][0] == 2
    assert len(spawned(monkeypatch, {"RANK": "0"})) == 1
    assert spawned(monkeypatch, {"RANK": "1"}) == []


@pytest.mark.claim(
    zh="交给 mp.spawn 的函数定义在另一个函数里：Can't pickle local object，一个进程也没有启动",
    en="A function for mp.spawn that is defined inside another: Can't pickle local object, and no process starts",
    against_zh="真实报错（Python 3.11）",
    against_en="the error itself (Python 3.11)",
    snippets=["distributed/wrong_spawn_local.py"],
)
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="worded for 3.11")
def test_a_local_function_cannot_be_sent(capfd):
    with pytest.raises(AttributeError) as caught:
        wrong_spawn_local.main()
    assert str(caught.value) == "Can't pickle local object 'main.<locals>.train'"
    assert "lr" not in capfd.readouterr().out


def test_without_the_guard_a_child_spawns_again(tmp_path):
    """Without if __name__ == `__main__`: the child raises An attempt has been
    made to start a new process, the parent process 0 terminated with exit
    code 1.
    """
    (tmp_path / "no_guard.py").write_text(NO_GUARD)
    (done,) = run_script(tmp_path / "no_guard.py")
    assert done.returncode == 1
    assert "An attempt has been made to start a new process before" in done.stderr
    last = done.stderr.rstrip().splitlines()[-1]
    assert last == (
        "torch.multiprocessing.spawn.ProcessExitedException: "
        "process 0 terminated with exit code 1"
    )


def test_no_launcher_no_rank(monkeypatch):
    """A script written for torchrun, run with python: environment variable RANK
    expected, but not set.
    """
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        dist.init_process_group("gloo")


def test_destroy_process_group_is_spelt_so():
    assert not hasattr(dist, "destory_process_group")
    with pytest.raises(AttributeError, match="has no attribute 'destory_process_group'"):
        dist.destory_process_group()
