"""two_nodes.sh: two machines as network namespaces, and what fails without each option.

Making namespaces takes root and `ip`; without them these tests skip and say so.
"""

import contextlib
import ctypes
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from elastic_reference import Uninterrupted
from torch.distributed.distributed_c10d import _set_pg_timeout
from torch.distributed.elastic.rendezvous import (
    RendezvousConnectionError,
    RendezvousParameters,
    c10d_rendezvous_backend,
)
from torch.distributed.elastic.rendezvous.registry import (
    get_rendezvous_handler,
)
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

import elastic_train
from process import run
from ranks import RankFailed, run_ranks

SNIPPETS = ["distributed/two_nodes.sh"]
FOLDER = Path(elastic_train.__file__).parent


def ip(words):
    return subprocess.run(["ip", *words.split()], check=True, timeout=60)


@pytest.fixture(scope="module")
def root():
    """Skip where namespaces cannot be made; in CI `ip` must be there."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root | 建网络命名空间需要 root")
    if shutil.which("ip") is None:
        if os.environ.get("CI"):
            pytest.fail("there is no `ip`: apt install iproute2")
        pytest.skip("needs `ip` (iproute2) | 需要 `ip` 命令（iproute2）")
    name = f"probe-{uuid.uuid4().hex[:8]}"
    try:
        ip(f"netns add {name}")
    except subprocess.CalledProcessError:
        pytest.skip("may not make namespaces here | 这里不允许建命名空间")
    ip(f"netns delete {name}")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    return Uninterrupted(tmp_path_factory.mktemp("uninterrupted") / "run.pt")


@pytest.fixture
def nodes(root):
    """Two namespaces, 10.0.0.1 and 10.0.0.2, joined by a virtual cable."""
    names = [f"test{i}-{uuid.uuid4().hex[:8]}" for i in (0, 1)]
    try:
        for name in names:
            ip(f"netns add {name}")
            ip(f"-n {name} link set lo up")
        ip(f"-n {names[0]} link add eth0 type veth peer eth0 netns {names[1]}")
        for i, name in enumerate(names, 1):
            ip(f"-n {name} address add 10.0.0.{i}/24 dev eth0")
            ip(f"-n {name} link set eth0 up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def enter(name):
    """Move this process to another namespace, as `ip netns exec` does."""
    dist.destroy_process_group()
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{name}") as space:
        assert libc.setns(space.fileno(), 0x40000000) == 0


def join_group(rank, nodes, interface, seconds):
    """A gloo group whose store both nodes reach; return each rank's sum."""
    enter(nodes[rank])
    os.environ.pop("GLOO_SOCKET_IFNAME", None)
    if interface:
        os.environ["GLOO_SOCKET_IFNAME"] = interface
    limit = timedelta(seconds=60)
    store = dist.TCPStore("10.0.0.1", 29400, 2, rank == 0, limit)
    limit = timedelta(seconds=seconds)
    dist.init_process_group("gloo", None, limit, 2, rank, store)
    x = torch.tensor(rank + 1)
    dist.all_reduce(x)
    return x.item()


def cut_the_cable(rank, nodes):
    """Rank 0 takes the link down between two collectives."""
    join_group(rank, nodes, "eth0", 60)
    _set_pg_timeout(timedelta(seconds=2))  # not before: joining takes longer
    if rank == 0:
        ip("link set eth0 down")
    error = ""
    try:
        while True:
            dist.all_reduce(torch.ones(1))
    except RuntimeError as raised:
        error = str(raised)
    dist.destroy_process_group()
    return error


def agent(rank, **options):
    return get_rendezvous_handler(
        RendezvousParameters(
            "c10d", "10.0.0.1:29400", "job1", 2, 2, **options
        )
    )


def meet(rank, nodes, with_addresses):
    """Both agents' rendezvous, and then the address that node 1 dials."""
    enter(nodes[rank])
    options = {"is_host": True} if rank == 0 else {}
    if with_addresses:
        options["local_addr"] = f"10.0.0.{rank + 1}"
    try:
        handler = agent(rank, **options)
        found = handler.next_rendezvous()
        where = found.bootstrap_store_info
        if rank == 0:
            found.store.wait(["tried"], timedelta(seconds=60))
        else:
            limit = timedelta(seconds=60 if with_addresses else 2)
            dist.TCPStore(where.master_addr, where.master_port, timeout=limit)
        return where.master_addr, ""
    except dist.DistNetworkError as error:
        return where.master_addr, str(error)
    finally:
        found.store.set("tried", "")


def meet_without_host(rank, nodes):
    enter(nodes[rank])
    try:
        agent(rank, read_timeout=1)
    except RendezvousConnectionError as error:
        return str(error), str(error.__cause__)


@pytest.mark.claim(
    zh="两个节点各一个真实的 torchrun，节点 1 的 worker 被杀后重启，结束时的检查点逐位相同",
    en="Two nodes, each with a real torchrun, a worker on node 1 killed and restarted: the final checkpoint is bit-equal",
    against_zh="一个节点、两个 rank、不中断的训练",
    against_en="training on one node with two ranks and no break",
    tolerance="0",
)
def test_two_nodes_and_a_killed_worker(root, tmp_path, uninterrupted):
    for name in ("elastic_train.py", "two_nodes.sh"):
        shutil.copy(FOLDER / name, tmp_path)
    lines = "echo $$ > pid; exec bash -euo pipefail two_nodes.sh run.pt --kill-at=14"
    try:
        done = run(["bash", "-c", lines], tmp_path, 240)
    finally:
        pid = (tmp_path / "pid").read_text().strip()
        for name in (f"node0-{pid}", f"node1-{pid}"):
            left = Path("/run/netns", name).exists()
            if left:
                ip(f"netns delete {name}")
            assert not left, "the script leaves its namespaces behind"
    assert done.returncode == 0, done.stderr
    # Where node 1 is back first, node 0 restarts for it and not on its own
    # account, so that its count of attempts may still be 0.
    printed = done.stdout.splitlines()
    assert printed[0] == "attempt 0: from step 0", done.stderr
    assert re.fullmatch("attempt [01]: from step 12", printed[1]), done.stderr
    assert len(printed) == 3
    uninterrupted.compare(tmp_path / "run.pt")


def test_gloo_needs_the_interface(nodes):
    with pytest.raises(RankFailed) as failed:
        run_ranks(join_group, 2, nodes, None, 60, timeout=90)
    message = str(failed.value)
    assert "Gloo connectFullMesh failed with" in message
    assert re.search(r"Connection refused, remote=\[127\.", message)
    assert run_ranks(join_group, 2, nodes, "eth0", 60, timeout=90) == [3, 3]


def test_some_node_has_to_be_the_host(nodes, monkeypatch):
    for error, cause in run_ranks(meet_without_host, 2, nodes, timeout=90):
        assert error.startswith("The connection to the C10d store has failed.")
        assert (
            "The client socket has timed out after 1000ms while trying to "
            "connect to (10.0.0.1, 29400)" in cause
        )
    asked = {}
    monkeypatch.setattr(
        c10d_rendezvous_backend,
        "TCPStore",
        lambda *args, **options: asked.update(options) or dist.HashStore(),
    )
    agent(0)
    assert asked["timeout"] == timedelta(milliseconds=60000)


def test_the_workers_need_an_address(nodes):
    (_, _), (address, error) = run_ranks(meet, 2, nodes, False, timeout=90)
    assert address == socket.getfqdn()
    assert "The client socket has timed out after 2000ms" in error
    assert f"while trying to connect to ({address}, " in error
    assert run_ranks(meet, 2, nodes, True, timeout=90) == [("10.0.0.1", "")] * 2


def test_the_cable_is_cut(nodes):
    for error in run_ranks(cut_the_cable, 2, nodes, timeout=90):
        assert re.search("Timed out waiting 2000ms for (recv|send) operation to complete", error)


def worker():
    """Meet the other worker; then all of the node LOST is killed."""
    world = int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo")
    dist.all_reduce(torch.ones(1))
    if world == 2 and os.environ["GROUP_RANK"] == os.environ["LOST"]:
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    while world == 2:
        dist.all_reduce(torch.ones(1))
    return os.environ["TORCHELASTIC_RESTART_COUNT"], world


def run_agent(node, fewest):
    conf = {"is_host": node == 0, "last_call_timeout": 1, "join_timeout": 20,
            "keep_alive_interval": 2}
    config = LaunchConfig(
        fewest, 2, 1, run_id="job", rdzv_backend="c10d", rdzv_configs=conf,
        rdzv_endpoint="10.0.0.1:29400", local_addr=f"10.0.0.{node + 1}",
        max_restarts=1, monitor_interval=0.1, start_method="fork",
    )
    try:
        return elastic_launch(config, worker)()
    except Exception as error:  # noqa: BLE001 - the test looks at it
        return type(error).__name__


def node(rank, nodes, fewest, lost):
    """One node with torchrun's own agent; the lost one dies with its worker."""
    enter(nodes[rank])
    os.environ |= {"GLOO_SOCKET_IFNAME": "eth0", "LOST": str(lost),
                   "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    if rank != lost:
        return run_agent(rank, fewest)
    child = os.fork()
    if child == 0:
        run_agent(rank, fewest)
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


@pytest.mark.claim(
    zh="`--nnodes=1:2` 丢了节点 1，节点 0 独自接着跑；丢了提供 Store 的节点 0，节点 1 以 RendezvousConnectionError 结束",
    en="With `--nnodes=1:2`, node 0 goes on alone when node 1 is lost; when node 0 with the store is lost, node 1 ends with RendezvousConnectionError",
    against_zh="两个命名空间里 torchrun 的代理，整个节点被 SIGKILL",
    against_en="torchrun's agents in two namespaces, all of a node killed by SIGKILL",
)
@pytest.mark.parametrize("fewest, lost, end", [
    (1, 1, {0: ("1", 1)}),
    (1, 0, "RendezvousConnectionError"),
    (2, 1, "RendezvousTimeoutError"),
])
def test_a_node_is_lost(nodes, fewest, lost, end):
    ends = run_ranks(node, 2, nodes, fewest, lost, timeout=120)
    assert ends[lost] == signal.SIGKILL
    assert ends[1 - lost] == end


def test_ctrl_c_ends_the_script(root, tmp_path):
    """The terminal's SIGINT has to reach both agents through `timeout`."""
    fake = tmp_path / "bin/torchrun"
    fake.parent.mkdir()
    fake.write_text(
        f"#!{sys.executable}\nimport signal, sys, time\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(1))\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    fake.chmod(0o755)
    shutil.copy(FOLDER / "two_nodes.sh", tmp_path)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        path = f"{fake.parent}:{os.environ['PATH']}"
        os.execvpe("bash", ["bash", "two_nodes.sh"], {"PATH": path})
    printed = b""
    with contextlib.suppress(OSError), contextlib.closing(open(terminal, "rb", 0)) as screen:
        while text := screen.read(4096):
            if printed.count(b"ready") < 2 <= (printed + text).count(b"ready"):
                os.write(terminal, b"\x03")
            printed += text
    assert printed.count(b"ready") == 2
    assert os.waitpid(pid, 0)[1] != 0
    assert not any(Path("/run/netns", f"node{i}-{pid}").exists() for i in (0, 1))


def test_the_namespaces_of_the_script_are_removed_when_it_fails(root, tmp_path):
    """Without elastic_train.py and with a torchrun that fails at once."""
    fake = tmp_path / "bin/torchrun"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nip address show eth0\nexit 3\n")
    fake.chmod(0o755)
    shutil.copy(FOLDER / "two_nodes.sh", tmp_path)
    lines = 'echo $$; PATH="$PWD/bin:$PATH" exec bash -euo pipefail two_nodes.sh'
    done = run(["bash", "-c", lines], tmp_path)
    pid, printed = done.stdout.split("\n", 1)
    assert done.returncode == 3
    assert "inet 10.0.0.2/24" in printed
    for name in (f"node0-{pid}", f"node1-{pid}"):
        with contextlib.suppress(FileNotFoundError):
            Path("/run/netns", name).stat()
            pytest.fail(f"{name} is left")
