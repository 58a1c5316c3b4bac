"""init_methods.py, rendezvous.py, bare_ranks.py: how ranks find each other."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

import bare_ranks
import init_methods
import ranks
import rendezvous
from ranks import run_ranks

SNIPPETS = [
    "distributed/init_methods.py",
    "distributed/rendezvous.py",
    "distributed/bare_ranks.py",
]
LIMIT = timedelta(seconds=20)


def listen(**more):
    return dist.TCPStore(
        "localhost", 0, None, True, LIMIT, wait_for_workers=False, **more
    )


@pytest.fixture
def forkserver(monkeypatch):
    """Ranks come from the tests' server: a fork here is not safe."""
    ranks._warm_up()
    monkeypatch.setattr(bare_ranks, "CONTEXT", ranks.CONTEXT)


@pytest.fixture
def ours(monkeypatch):
    """No torchrun: nobody's agent holds the store."""
    for name in rendezvous.NAMES:
        monkeypatch.delenv(name, raising=False)


def double(rank, x):
    return rank, x * 2


def die_or_raise(rank, how):
    if rank == 1:
        os._exit(3) if how == "die" else int("no number")
    return "well"


def test_bare_ranks_answer_in_order(forkserver):
    processes = bare_ranks.BareRanks(double, 3)
    assert processes.call(21) == [(0, 42), (1, 42), (2, 42)]


def test_bare_ranks_tell_of_a_death(forkserver):
    processes = bare_ranks.BareRanks(die_or_raise, 2)
    assert processes.call("die") == ["well", None]
    with pytest.raises(RuntimeError, match="(?s)on rank 1:.*no number"):
        bare_ranks.BareRanks(die_or_raise, 2).call("raise")


@pytest.mark.parametrize("rank, prints", [(None, True), (0, True), (1, False)])
def test_only_rank_0_prints(monkeypatch, rank, prints):
    monkeypatch.delenv("RANK", raising=False)
    if rank is not None:
        monkeypatch.setenv("RANK", str(rank))
    assert bare_ranks.shows() is prints


@pytest.mark.claim(
    zh="env://、tcp://、file:// 与显式 store，四种写法都建起同样的组",
    en="env://, tcp://, file:// and an explicit store all make the same group",
    against_zh="两个与三个真实进程，all_reduce 得到 1 + … + W",
    against_en="two and three real processes, all_reduce gives 1 + … + W",
    tolerance="0",
    snippets=["distributed/init_methods.py", "distributed/bare_ranks.py"],
)
@pytest.mark.parametrize("size", [2, 3])
def test_each_way_makes_a_group(forkserver, capsys, size):
    init_methods.main(size)
    lines = capsys.readouterr().out.splitlines()
    total = size * (size + 1) // 2
    assert [line.split(maxsplit=1) for line in lines] == [
        [name, f"{size} ranks, 1 + … + {size} = {total}"]
        for name in ("env://", "tcp://", "file://", "store=")
    ]


def kinds(rank, *where):
    """Each way's store, as init_process_group left it in the group."""
    dist.destroy_process_group()
    found = {}
    for name, arguments in init_methods.ways(rank, *where):
        dist.init_process_group("gloo", **arguments)
        store = dist.distributed_c10d._get_default_store()
        while isinstance(store, dist.PrefixStore):
            store = store.underlying_store
        found[name] = type(store), dist.get_rank(), sorted(store.list_keys())
        dist.barrier()
        dist.destroy_process_group()
    return found


def test_each_way_has_its_own_store(tmp_path):
    stores = [listen() for _ in range(3)]
    ports = [store.port for store in stores]
    for rank, found in enumerate(run_ranks(kinds, 2, 2, ports, str(tmp_path))):
        assert [(kind, r) for kind, r, _ in found.values()] == [
            (kind, rank)
            for kind in (
                dist.TCPStore,
                dist.TCPStore,
                dist.FileStore,
                dist.TCPStore,
            )
        ]
        assert "default_pg/0//cpu//0/1" in found["env://"][2]
        assert "0//cpu//0/1" in found["store="][2]


def test_six_jobs_at_once():
    held = [listen() for _ in range(6)]
    assert len({store.port for store in held}) == 6
    for number, store in enumerate(held):
        store.set("job", str(number))
    for number, store in enumerate(held):
        child = dist.TCPStore("localhost", store.port, timeout=LIMIT)
        assert child.get("job") == str(number).encode()


@pytest.mark.claim(
    zh="rendezvous 产出 (store, rank, world_size)；没有 torchrun 时由 rank 0 监听，有代理时谁都不监听",
    en="rendezvous yields (store, rank, world_size); without torchrun rank 0 listens, with its agent nobody does",
    against_zh="另一个 TCPStore 客户端能否连上它",
    against_en="whether another TCPStore client reaches it",
    snippets=["distributed/rendezvous.py"],
)
def test_who_listens(ours, monkeypatch, tmp_path):
    store, rank, size = next(dist.rendezvous("tcp://localhost:0", 0, 1))
    assert (type(store), rank, size) == (dist.TCPStore, 0, 1)
    assert store.timeout == timedelta(minutes=30)
    other = dist.TCPStore("localhost", store.port, timeout=LIMIT)
    other.set("seen", "1")
    assert store.get("seen") == b"1"
    assert rendezvous.look("tcp://localhost:0", 0, 1).endswith("listens: True")
    found = rendezvous.look(f"file://{tmp_path}/store", 1, 2)
    assert found == "(FileStore, 1, 2), listens: False"

    agent = listen()
    monkeypatch.setenv("TORCHELASTIC_USE_AGENT_STORE", "True")
    for rank in (0, 1):
        url = f"tcp://localhost:{agent.port}"
        found = rendezvous.look(url, rank, 2)
        assert found == f"(TCPStore, {rank}, 2), listens: False"


def test_a_rendezvous_happens_once(tmp_path):
    handler = dist.rendezvous(f"file://{tmp_path}/store", 0, 1)
    next(handler)
    with pytest.raises(RuntimeError, match="Unable to perform rerendezvous"):
        next(handler)


def test_torchrun_sets_them(tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, os, pathlib\n"
        "path = pathlib.Path(__file__).with_name(os.environ['RANK'])\n"
        "path.write_text(json.dumps(dict(os.environ)))\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    subprocess.run(
        [*command, "--nproc-per-node=2", str(worker)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    out = Path(rendezvous.__file__).with_suffix(".out").read_text("utf-8")
    for rank, block in enumerate(out.split("\nenv://")[1:]):
        set_there = json.loads((tmp_path / str(rank)).read_text())
        assert int(set_there["MASTER_PORT"]) > 0
        assert set_there["MASTER_ADDR"] in ("localhost", "127.0.0.1")
        set_there |= rendezvous.DIFFERS
        assert block.splitlines()[0] == (
            f" under torchrun, rank {rank}: (TCPStore, {rank}, 2), "
            "listens: False"
        )
        assert [line.strip() for line in block.strip().splitlines()[1:]] == [
            f"{name} = {set_there[name]}" for name in rendezvous.NAMES
        ]


def test_port_0_is_enough_for_one_rank_only(ours):
    url = "tcp://localhost:0?rank=0&world_size=1"
    store, rank, size = next(dist.rendezvous(url))
    assert store.port > 0 and (rank, size) == (0, 1)
    with pytest.raises(dist.DistNetworkError, match=r"\(localhost, 0\)"):
        limit = timedelta(seconds=1)
        next(dist.rendezvous("tcp://localhost:0", 1, 2, timeout=limit))


def test_with_the_inherited_variable_nobody_listens(ours, monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_USE_AGENT_STORE", "True")
    limit, text = timedelta(seconds=1), "timed out after 1000ms while trying to"
    with pytest.raises(dist.DistNetworkError, match=f"The client socket has {text} connect"):
        next(dist.rendezvous("tcp://localhost:0", 0, 2, timeout=limit))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_listens_on_every_interface():
    store = dist.TCPStore("localhost", 0, None, True, LIMIT)  # no wait: no world_size
    place, addresses = f":{store.port:04X}", []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state = line.split()[:4]
            if local.endswith(place) and state == "0A":  # LISTEN
                addresses.append(local.removesuffix(place))
    assert addresses and all(set(address) == {"0"} for address in addresses)


def threads():
    folder = Path("/proc/self/task")
    return [(p / "comm").read_text().strip() for p in folder.iterdir()]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_server_is_libuv():
    store = listen()
    assert store.libuvBackend
    assert "pt_tcpstore_uv" in threads()
    assert not hasattr(store, "watch_key")
    header = Path(torch.__file__).parent / "include/torch/csrc/distributed"
    text = (header / "c10d/Store.hpp").read_text()
    assert "watchKey is deprecated, no implementation supports it." in text
    old = listen(use_libuv=False)
    assert "pt_tcpstore" in threads()
    assert not old.libuvBackend


def test_wait_for_workers_has_an_s():
    with pytest.raises(TypeError, match="wait_for_worker=False"):
        dist.TCPStore("localhost", 0, None, True, wait_for_worker=False)
    assert "wait_for_workers: bool = True" in dist.TCPStore.__init__.__doc__


def test_nccl_variable_has_a_new_name():
    folder = Path(torch.__file__).parent / "include/torch/csrc/distributed"
    names = (folder / "c10d/ProcessGroupNCCL.hpp").read_text()
    assert (
        '"TORCH_NCCL_BLOCKING_WAIT",\n    "NCCL_BLOCKING_WAIT"};' in names
    )
    utils = (folder / "c10d/Utils.hpp").read_text()
    assert '" is deprecated; use "' in utils
    assert "TORCH_NCCL_BLOCKING_WAIT" in dist.init_process_group.__doc__


def test_destroy_is_spelt_so():
    with pytest.raises(AttributeError, match="destory_process_group"):
        dist.destory_process_group()
    assert dist.destroy_process_group


def test_rank_0_waits_for_the_others():
    held = listen(multi_tenant=True)  # so that the port is known, and ours
    with pytest.raises(dist.DistStoreError, match="1/2 clients joined"):
        dist.TCPStore(
            "localhost", 0, 2, True, timedelta(seconds=1)
        )  # nobody comes
    arrived = []

    def rank_1():
        arrived.append(dist.TCPStore("localhost", held.port, 2, False, LIMIT))

    second = threading.Thread(target=rank_1)
    second.start()
    first = dist.TCPStore(
        "localhost", held.port, 2, True, LIMIT, multi_tenant=True
    )
    second.join()
    first.set("k", "v")
    assert arrived[0].get("k") == b"v"


def test_a_killed_parent_leaves_no_rank_behind():
    """The pipe's end is what a waiting rank sees of its parent's death."""
    ours, theirs = ranks.CONTEXT.Pipe()
    ours.close()
    assert bare_ranks.serve(0, theirs, double) is None


def test_no_file_stays_behind():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/store"
        first, second = dist.FileStore(path, 2), dist.FileStore(path, 2)
        first.set("k", "v")
        assert second.get("k") == b"v"
        del first
        assert os.path.exists(path)
        del second
        assert not os.path.exists(path)
