"""Every script of the track runs unchanged under torchrun, on two ranks."""

import re
import subprocess
from pathlib import Path

import pytest
import torch.distributed as dist

import launch
from printed import EXCEPTION, masked
from process import run
from snippets import runnable
from warm import run_script

SNIPPETS = ["distributed/launch.py"]
FOLDER = Path(launch.__file__).parent
SCRIPTS = sorted(p.name for p in FOLDER.glob("*.py"))
SET_BY_TORCHRUN = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                   "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE")
# launch(work, (2, 4)), launch(work, 3): what is printed is for other numbers of ranks.
OTHER_SIZES = re.compile(r"\blaunch\(\s*\w+,\s*(?:\(|[13-9])")
# torchrun's ranks connect to its store and open no port: that is its lesson.
RIGHT_WITH_TORCHRUN = ["wrong_busy_port.py"]


def torchrun(path: Path) -> list[subprocess.CompletedProcess]:
    """Run a script in the environment that `torchrun --nproc-per-node=2` gives it."""
    agent = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    port = str(agent.port)
    return run_script(path, ranks=[
        dict(zip(SET_BY_TORCHRUN, (rank, "2", rank, "2", "127.0.0.1", port, "True"), strict=True))
        for rank in "01"])


def lines(text: str) -> list[str]:
    text = re.sub(r"rank \d", "rank N", masked(text))  # one script starts one rank by itself
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", SCRIPTS)
def test_under_torchrun_a_script_prints_what_it_prints_by_itself(name, tmp_path):
    (tmp_path / name).write_text(runnable(FOLDER / name), "utf-8")
    ranks = torchrun(tmp_path / name)
    out = (FOLDER / name).with_suffix(".out")
    want = lines(out.read_text("utf-8")) if out.exists() else []
    printed = [line for rank in ranks for line in lines(rank.stdout)]
    failed = any(rank.returncode for rank in ranks)
    wrong = name.startswith("wrong_") and name not in RIGHT_WITH_TORCHRUN
    assert wrong or not failed, ranks
    if OTHER_SIZES.search((FOLDER / name).read_text("utf-8")):
        return
    assert set(printed) <= set(want)
    assert printed or failed or not want or name in RIGHT_WITH_TORCHRUN
    crashed = any(rank.returncode < 0 for rank in ranks)
    told = masked("".join(rank.stdout + rank.stderr for rank in ranks))
    for error in [line for line in want if wrong and EXCEPTION.match(line)][:1]:
        assert error in told or crashed, ranks


def test_that_environment_is_torchrun_s(tmp_path):
    text = (f"import os\nlines = [f'{{name}} {{os.environ[name]}}\\n' for name in {SET_BY_TORCHRUN}]\n"
            "os.write(1, ''.join(lines).encode())\n")  # at once, or the ranks' would mix
    (tmp_path / "show.py").write_text(text)
    done = run(["torchrun", "--standalone", "--nproc-per-node=2", "show.py"], tmp_path)
    assert done.returncode == 0, done.stderr
    (first, second) = torchrun(tmp_path / "show.py")
    ours = (first.stdout + second.stdout).splitlines()
    for name in SET_BY_TORCHRUN:
        if name != "MASTER_PORT":
            pick = [sorted(line.replace("127.0.0.1", "localhost") for line in found
                           if line.startswith(f"{name} ")) for found in
                    (done.stdout.splitlines(), ours)]
            assert pick[0] == pick[1], done
