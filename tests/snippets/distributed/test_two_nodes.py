"""two_nodes.sh: two machines as network namespaces, and what fails without each option.

Making namespaces takes root and `ip`; without them these tests skip and say so.
"""

import contextlib
import ctypes
import os
import re
import shutil
import socket
import subprocess
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


@pytest.mark.claim(
    zh="没有 `GLOO_SOCKET_IFNAME`，gloo 用主机名对应的回环地址：Connection refused；有它，求和正确",
    en="Without `GLOO_SOCKET_IFNAME` gloo takes the loopback address that the host name stands for: Connection refused; with it the sum is right",
    against_zh="两个命名空间里的两个 rank",
    against_en="two ranks in two namespaces",
)
def test_gloo_needs_the_interface(nodes):
    with pytest.raises(RankFailed) as failed:
        run_ranks(join_group, 2, nodes, None, 60, timeout=90)
    message = str(failed.value)
    assert "Gloo connectFullMesh failed with" in message
    assert re.search(r"Connection refused, remote=\[127\.", message)
    assert run_ranks(join_group, 2, nodes, "eth0", 60, timeout=90) == [3, 3]


@pytest.mark.claim(
    zh="没有 `--rdzv-conf=is_host=1`，没有节点提供 Store，两边都报 The client socket has timed out",
    en="Without `--rdzv-conf=is_host=1` no node serves the store, and both report The client socket has timed out",
    against_zh="两个命名空间里真实的 rendezvous，时限 1 s（默认 60 s）",
    against_en="the real rendezvous in two namespaces, with a limit of 1 s (by default 60)",
)
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


@pytest.mark.claim(
    zh="没有 `--local-addr`，节点 1 拿到的 `MASTER_ADDR` 是节点 0 的主机名，连不上；有它，是 10.0.0.1",
    en="Without `--local-addr` the `MASTER_ADDR` that node 1 gets is node 0's host name, which it cannot reach; with it, 10.0.0.1",
    against_zh="两个命名空间里真实的 rendezvous",
    against_en="the real rendezvous in two namespaces",
)
def test_the_workers_need_an_address(nodes):
    (_, _), (address, error) = run_ranks(meet, 2, nodes, False, timeout=90)
    assert address == socket.getfqdn()
    assert "The client socket has timed out after 2000ms" in error
    assert f"while trying to connect to ({address}, " in error
    assert run_ranks(meet, 2, nodes, True, timeout=90) == [("10.0.0.1", "")] * 2


@pytest.mark.claim(
    zh="网线断开，两边的集合通信都在组的时限（2 s）之后抛出异常",
    en="With the cable cut, the collectives on both sides raise after the group's timeout (2 s)",
    against_zh="两个命名空间，`ip link set eth0 down`",
    against_en="two namespaces, `ip link set eth0 down`",
)
def test_the_cable_is_cut(nodes):
    for error in run_ranks(cut_the_cable, 2, nodes, timeout=90):
        assert re.search("Timed out waiting 2000ms for (recv|send) operation to complete", error)


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
