"""dir_store.py and store_calls.py: a store in Python, and what is asked of it."""

import threading
from collections import Counter
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
import torch.distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st

import bare_ranks
import dir_store
import ranks
import store_calls
from dir_store import DirStore
from ranks import run_ranks

SNIPPETS = ["distributed/dir_store.py", "distributed/store_calls.py"]
KEYS = st.sampled_from(["a", "b/c", "0//cpu//0/1", ".hidden", "%41"])
TEXTS = st.sampled_from(["", "1", "-7", "x"])
CALLS = st.one_of(
    st.tuples(st.just("set"), KEYS, TEXTS),
    st.tuples(st.just("compare_set"), KEYS, TEXTS, TEXTS),
    st.tuples(st.just("add"), KEYS, st.integers(-5, 5)),
    st.tuples(st.just("get"), KEYS),
    st.tuples(st.just("check"), st.lists(KEYS, min_size=1)),
    st.tuples(st.just("delete_key"), KEYS),
    st.tuples(st.just("num_keys")),
)


def answer(store, reference, name, *args):
    """Return what a call gives; one that would wait or fail is left out."""
    if name == "get" and not reference.check([args[0]]):
        return "would wait"
    if name == "add" and reference.check([args[0]]):
        try:
            int(reference.get(args[0]))
        except ValueError:
            return "not a number"
    return getattr(store, name)(*args)


@pytest.mark.claim(
    zh="自己写的 DirStore 对任意一串调用的回答与 HashStore 相同，从 Python 或从 C++ 调用都一样",
    en="Our DirStore answers any series of calls as HashStore does, called from Python or from C++",
    against_zh="HashStore（hypothesis 随机生成调用）",
    against_en="HashStore (hypothesis makes up the calls)",
    tolerance="0",
    snippets=["distributed/dir_store.py"],
)
@settings(max_examples=40, deadline=None)
@given(calls=st.lists(CALLS, max_size=12), through_cpp=st.booleans())
def test_dir_store_is_a_store(calls, through_cpp):
    with TemporaryDirectory() as folder:
        inside, theirs = DirStore(folder), dist.HashStore()
        ours = dist.PrefixStore("p", inside) if through_cpp else inside
        for call in calls:
            expected = answer(theirs, theirs, *call)
            got = answer(ours, ours, *call)
            assert got == expected, call


def test_keys_are_what_was_set(tmp_path):
    store = DirStore(tmp_path)
    for key in ("0//cpu//0/1", "%41", ".hidden"):
        store.set(key, b"\x00\xff")
    names = {path.name for path in tmp_path.iterdir()}
    assert "key-0%2F%2Fcpu%2F%2F0%2F1" in names
    assert store.get("%41") == b"\x00\xff"
    assert store.keys() == ["%41", ".hidden", "0//cpu//0/1"]


def test_add_is_atomic_and_wait_ends(tmp_path):
    def add():
        for _ in range(50):
            DirStore(tmp_path).add("n", 1)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert DirStore(tmp_path).get("n") == b"200"
    store = DirStore(tmp_path)
    store.set_timeout(timedelta(milliseconds=20))
    with pytest.raises(dist.DistStoreError, match="no .'nokey'. after"):
        store.get("nokey")
    with pytest.raises(dist.DistStoreError, match="nokey.*0.01"):
        store.wait(["n", "nokey"], timedelta(milliseconds=10))


@pytest.mark.parametrize("change", ["set", "delete"])
def test_nothing_comes_between_an_add_s_read_and_its_write(tmp_path, monkeypatch, change):
    store, other, order = DirStore(tmp_path), DirStore(tmp_path), []
    store.set("n", "0")
    write = store.write

    def interrupted(key, value):
        call = (other.set, "n", "100") if change == "set" else (other.deleteKey, "n")
        thread = threading.Thread(target=lambda: order.append(call[0](*call[1:])))
        thread.start()
        thread.join(0.05)
        assert thread.is_alive() and not order  # it waits for the lock
        write(key, value)
        threads.append(thread)

    threads = []
    monkeypatch.setattr(store, "write", interrupted)
    assert store.add("n", 1) == 1
    threads[0].join()
    assert order == [None if change == "set" else True]
    assert store.check(["n"]) is (change == "set")
    assert change == "delete" or store.get("n") == b"100"


def test_a_key_must_fit_a_file_name(tmp_path):
    DirStore(tmp_path).set("k" * 251, "v")
    with pytest.raises(OSError, match="File name too long"):
        DirStore(tmp_path).set("k" * 252, "v")


def test_a_reader_sees_a_whole_value(tmp_path, monkeypatch):
    """The name appears only with all of the value behind it."""
    seen = []
    replace = dir_store.os.replace

    def slow(old, new):
        seen.append(DirStore(tmp_path).check(["k"]))
        assert Path(old).read_bytes() == b"x" * 100_000
        replace(old, new)

    monkeypatch.setattr(dir_store.os, "replace", slow)
    DirStore(tmp_path).set("k", b"x" * 100_000)
    assert seen == [False]
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lock", "key-k"]


def test_the_names_that_cpp_looks_for(tmp_path):
    """An override called delete_key is not found from C++."""

    class Bare(dist.Store):
        def delete_key(self, key):
            return True

    bare, ours = Bare(), DirStore(tmp_path)
    with pytest.raises(RuntimeError, match="pure virtual function.*deleteKey"):
        dist.PrefixStore("p", bare).delete_key("k")
    with pytest.raises(NotImplementedError):
        dist.PrefixStore("p", ours).queue_push("q", "1")


def test_a_python_store_must_be_held(tmp_path):
    held = DirStore(tmp_path)
    outside = dist.PrefixStore("p", held)
    outside.set("k", "v")
    del held
    with pytest.raises(RuntimeError, match="Not implemented"):
        outside.set("k", "v")


def join(rank, size, folder):
    dist.destroy_process_group()
    return dir_store.work(rank, size, folder)


@pytest.mark.parametrize("size", [2, 3])
def test_a_real_group(tmp_path, size):
    total = size * (size + 1) // 2
    assert run_ranks(join, size, size, str(tmp_path)) == [
        f"rank {rank}: sum {total}" for rank in range(size)
    ]
    keys = [f"0//cpu//0/{rank}" for rank in range(size)]
    assert DirStore(tmp_path).keys() == keys


class Three(dist.Store):
    """No more than set, get and wait."""

    def __init__(self, folder):
        super().__init__()
        self.inner = DirStore(folder)

    def set(self, key, value):
        self.inner.set(key, value)

    def get(self, key):
        return self.inner.get(key)

    def wait(self, keys, timeout=None):
        self.inner.wait(keys, timeout)


def join_with_three(rank, folder):
    dist.destroy_process_group()
    store = Three(folder)
    dist.init_process_group("gloo", None, None, 2, rank, store)
    total = torch.tensor(rank + 1)
    dist.all_reduce(total)
    dist.new_group()
    with pytest.raises(RuntimeError, match="pure virtual function.*add"):
        dist.PrefixStore("p", store).add("n", 1)
    return total.item()


def test_three_methods_will_do(tmp_path):
    assert run_ranks(join_with_three, 2, str(tmp_path)) == [3, 3]


def record(rank, size, path):
    dist.destroy_process_group()
    return store_calls.work(rank, size, path)


@pytest.mark.claim(
    zh="W 个 rank 建组：W 次 set、W² 次 wait、W² 次 get；之后的 30 次集合通信一次也不碰 Store",
    en="A group of W ranks takes W sets, W² waits and W² gets; 30 collectives afterwards never touch the store",
    against_zh="手写的键序列，W = 2、3",
    against_en="the series of keys written out, W = 2, 3",
    tolerance="0",
    snippets=["distributed/store_calls.py"],
)
@pytest.mark.parametrize("size", [2, 3])
def test_calls_of_a_group(tmp_path, size):
    for rank, (init, collectives, new_group) in enumerate(
        run_ranks(record, size, size, f"{tmp_path}/store")
    ):
        for prefix, calls in (("0", init), ("0//1", new_group)):
            reads = [
                (name, f"{prefix}//cpu//0/{other}")
                for other in range(size)
                for name in ("wait", "get")
            ]
            assert calls == [("set", f"{prefix}//cpu//0/{rank}"), *reads]
        assert collectives == []


def test_the_recorder_hands_everything_on(tmp_path):
    """Each method that C++ can call arrives, and its answer comes back."""
    store = store_calls.Recorder(dist.HashStore())
    outside = dist.PrefixStore("p", store)
    outside.set("k", "v")
    outside.append("k", "w")
    assert outside.get("k") == b"vw"
    assert outside.add("n", 4) == 4
    outside.multi_set(["a", "b"], ["1", "2"])
    assert outside.multi_get(["a", "b"]) == [b"1", b"2"]
    assert outside.compare_set("a", "1", "3") == b"3"
    assert outside.check(["a"])
    assert outside.delete_key("a")
    assert outside.num_keys() == 3
    assert outside.has_extended_api()
    outside.wait(["k"])
    names = [name for name, *_ in store.calls]
    assert set(names) == set(store_calls.METHODS) - {"clone"}
    assert store_calls.describe("wait", ["a", "b"], 3) == ("wait", "a b")
    assert store_calls.describe("getNumKeys") == ("getNumKeys", "")


def test_the_shown_record(monkeypatch, capsys):
    ranks._warm_up()
    monkeypatch.setattr(bare_ranks, "CONTEXT", ranks.CONTEXT)
    two = store_calls.record(2)
    monkeypatch.setattr(store_calls, "record", lambda size: two)
    store_calls.main()
    shown = capsys.readouterr().out.splitlines()
    out = Path(store_calls.__file__).with_suffix(".out").read_text("utf-8")
    assert shown[:-1] == out.splitlines()[:-1]
    assert Counter(line.split()[2] for line in shown if "//" in line) == {
        "set": 2,
        "wait": 4,
        "get": 4,
    }
    assert "'get': 16, 'set': 4, 'wait': 16" in out
