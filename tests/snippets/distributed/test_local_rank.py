"""wrong_local_rank.py and right_local_rank.py, under the real launchers."""

import sys

import pytest
import torch.distributed.launch

import right_local_rank
import wrong_local_rank
from process import run

SNIPPETS = [
    "distributed/wrong_local_rank.py",
    "distributed/right_local_rank.py",
]


@pytest.mark.claim(
    zh="`torch.distributed.launch` 传的是 --local-rank（连字符），只认 --local_rank 的脚本退出",
    en="`torch.distributed.launch` passes --local-rank with a dash; a parser of --local_rank exits",
    against_zh="真实的启动器与报错",
    against_en="the launcher itself and its error",
    snippets=["distributed/wrong_local_rank.py"],
)
def test_the_parser_refuses_the_dash(tmp_path):
    job = run([sys.executable, wrong_local_rank.__file__], tmp_path)
    assert job.returncode != 0
    assert "error: unrecognized arguments: --local-rank=0" in job.stdout


def test_the_parser_knows_the_underscore(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train.py", "--local_rank=3"])
    wrong_local_rank.main()
    assert capsys.readouterr().out == "local rank 3\n"


@pytest.mark.claim(
    zh="从环境变量 LOCAL_RANK 读取，在 torchrun 下得到本地 rank",
    en="Read from LOCAL_RANK, the local rank is right under torchrun",
    against_zh="真实的启动器",
    against_en="the launcher itself",
    snippets=["distributed/right_local_rank.py"],
)
def test_the_environment_has_it(tmp_path):
    job = run([sys.executable, right_local_rank.__file__], tmp_path)
    assert (job.returncode, job.stdout) == (0, "local rank 0\n"), job.stderr


def test_it_is_read_from_the_environment(monkeypatch, capsys):
    monkeypatch.setenv("LOCAL_RANK", "5")
    right_local_rank.main()
    assert capsys.readouterr().out == "local rank 5\n"


def test_the_old_launcher_is_deprecated():
    assert "torchrun" in torch.distributed.launch.main.__deprecated__
