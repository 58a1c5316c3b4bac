"""store_table.py, store_errors.py and the two pairs: what stores answer."""

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import torch.distributed as dist

import right_one_handle
import right_reused_file
import store_errors
import store_table
import wrong_one_handle
import wrong_reused_file
from ranks import run_ranks

SNIPPETS = [
    "distributed/store_table.py",
    "distributed/store_errors.py",
    "distributed/wrong_one_handle.py",
    "distributed/right_one_handle.py",
    "distributed/wrong_reused_file.py",
    "distributed/right_reused_file.py",
]
FOLDER = Path(store_table.__file__).parent
SHORT = timedelta(milliseconds=100)

# What a dictionary of bytes would answer, worked out by hand.
EXPECTED = {
    'get("k")': b"v",
    'add("n", 2)': 2,
    'add("n", 3)': 5,
    'get("n")': b"5",
    'check(["k", "n"])': True,
    'check(["k", "no"])': False,
    'wait(["k", "n"])': None,
    'compare_set("c", "", "a")': b"a",
    'compare_set("c", "b", "x")': b"a",
    'compare_set("no", "b", "x")': b"b",
    'delete_key("k")': True,
    'delete_key("no")': False,
    "num_keys()": 2,  # n and c
    'multi_get(["p", "q", "a"])': [b"1", b"2", b"xy"],
    'queue_pop("jobs")': b"7",
    'clone().get("n")': b"5",
}


def read_table():
    """Return {call: cells} of the committed output."""
    lines = (FOLDER / "store_table.out").read_text("utf-8").splitlines()
    table = {}
    for line in lines[2:]:
        code, cells = re.match(r"\| `(.*?)` \| (.*) \|$", line).groups()
        table[code] = spread(cells)
    return table


def spread(cell):
    """Return each store's answer of a cell that joins equal ones."""
    if "Store" not in cell:
        return [cell] * 4
    found = {}
    for part in cell.split("<br>"):
        answer, names = re.match(r"(`.*`|\*\*.*\*\*) (.*)", part).groups()
        found |= dict.fromkeys(names.split(", "), answer)
    names = ("TCPStore", "FileStore", "HashStore", "PrefixStore")
    return [found[name] for name in names]


@pytest.mark.claim(
    zh="四种 Store 对每个调用的回答，除 FileStore 的三处外都与一个字典相同",
    en="To each call the four stores answer as a dictionary would, but for three rows of FileStore",
    against_zh="手写的期望值",
    against_en="values worked out by hand",
    tolerance="0",
    snippets=["distributed/store_table.py"],
)
def test_the_table_is_a_dictionary():
    table, strange = read_table(), {}
    for code, value in EXPECTED.items():
        for store, cell in enumerate(table[code]):
            if cell != f"`{value!r}`":
                strange[store, code] = cell
    assert strange == {
        (1, 'delete_key("no")'): "`True`",
        (1, "num_keys()"): "`3`",
        (1, 'queue_pop("jobs")'): "**NotImplementedError**",
    }
    failed = ["**DistNetworkError**", "**ValueError**"]
    assert table['add("s", 1)'] == [failed[i] for i in (0, 1, 1, 0)]
    assert table['get("s")'] == [failed[0], "`b'text'`", "`b'text'`"] + [
        failed[0]
    ]
    empty = table['queue_pop("jobs", False)']
    assert empty[1] == "**NotImplementedError**"
    assert {empty[i] for i in (0, 2, 3)} == {"**QueueEmptyError**"}
    assert table["has_extended_api()"] == [
        f"`{v}`" for v in (True, False, True, True)
    ]


def test_the_table_is_made_by_calls(tmp_path):
    """Another store in one column shows in that column alone."""
    stores = store_table.open_stores(tmp_path)
    types = [type(store).__name__ for store in stores.values()]
    assert types == list(stores)
    stores = {"one": dist.HashStore(), "other": dist.HashStore()}
    head, line, *rows = store_table.rows(stores)
    assert line.count("---") == 2
    assert len(rows) == len(read_table())
    assert not any("other" in row.split(" | ")[-1] for row in rows)
    stores["file"] = dist.FileStore(f"{tmp_path}/another", 2)
    rows = list(store_table.rows(stores))
    assert sum("file" in row.split(" | ")[-1] for row in rows) > 5
    assert any(
        row.endswith(
            "`None` one, other<br>**NotImplementedError** file |"
        )
        for row in rows
    )


def test_what_compare_set_refuses_is_not_there():
    store = dist.HashStore()
    assert store.compare_set("no", "b", "x") == b"b"
    assert not store.check(["no"])


def test_a_prefix_is_only_a_prefix(tmp_path):
    inner = dist.HashStore()
    one, two = (dist.PrefixStore(name, inner) for name in ("run1", "run2"))
    one.set("k", "1")
    two.set("k", "2")
    assert (one.get("k"), two.get("k")) == (b"1", b"2")
    assert (inner.get("run1/k"), inner.get("run2/k")) == (b"1", b"2")
    assert one.num_keys() == inner.num_keys() == 2
    file = dist.PrefixStore("run1", dist.FileStore(f"{tmp_path}/store", 2))
    with pytest.raises(NotImplementedError):
        file.queue_push("jobs", "7")


def test_add_loses_nothing(tmp_path):
    stores = store_table.open_stores(tmp_path)
    for store in stores.values():
        handles = [store.clone() for _ in range(4)]

        def add(handle):
            for _ in range(200):
                handle.add("n", 1)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(add, handles))
        assert store.get("n") == b"800"


def shown_errors():
    lines = (FOLDER / "store_errors.out").read_text("utf-8").splitlines()
    names, texts = lines[::2], [line.strip() for line in lines[1::2]]
    return dict(zip(names, texts, strict=True))


@pytest.mark.claim(
    zh="get 等一个没人写的键：TCPStore 报 wait timeout after 1000ms, keys: /nokey",
    en="A get of a key that nobody sets: TCPStore raises wait timeout after 1000ms, keys: /nokey",
    against_zh="三种 Store 的真实报错，以及等待的时间",
    against_en="the errors of three stores themselves, and how long they waited",
    snippets=["distributed/store_errors.py"],
)
def test_get_waits_for_its_key(tmp_path):
    texts = shown_errors()
    assert texts["TCPStore get"] == (
        "DistStoreError: wait timeout after 1000ms, keys: /nokey"
    )
    assert texts["FileStore get"] == (
        "RuntimeError: Timeout waiting for key: nokey after 1000 ms"
    )
    assert texts["HashStore get"] == "DistStoreError: Wait timeout"
    tcp = store_errors.listen(SHORT)
    in_memory = dist.HashStore()
    in_memory.set_timeout(SHORT)
    for store in (tcp, in_memory):
        start = time.monotonic()
        with pytest.raises(dist.DistStoreError, match="(?i)wait timeout"):
            store.get("nokey")
        assert time.monotonic() - start >= 0.1


def test_the_key_names_the_rank_that_is_missing():
    store, limit = store_errors.listen(SHORT), timedelta(seconds=1)
    with pytest.raises(dist.DistStoreError) as error:
        dist.init_process_group("gloo", None, limit, 2, 0, store)
    # The first number counts the groups of this process.
    assert re.search(r"wait timeout after 1000ms, keys: /\d+//cpu//0/1", str(error.value))


def test_file_store_rounds_up_to_seconds(tmp_path):
    file = dist.FileStore(f"{tmp_path}/store", 2)
    file.set_timeout(SHORT)
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="nokey after 100 ms"):
        file.get("nokey")
    assert time.monotonic() - start >= 1
    assert file.clone().timeout == timedelta(seconds=300)
    assert dist.HashStore().timeout == timedelta(seconds=300)


def test_get_returns_as_soon_as_the_key_is_there(tmp_path):
    for store in store_table.open_stores(tmp_path).values():
        other = store.clone()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(store.get, "late")
            other.set("late", "now")
            assert answer.result(20) == b"now"


def test_add_on_text_breaks_one_client():
    server = store_errors.listen(timedelta(seconds=20))
    broken, fine = server.clone(), server.clone()
    server.set("text", "hello")
    for call in (lambda: broken.add("text", 1), lambda: broken.get("text")):
        with pytest.raises(dist.DistNetworkError, match="got 0 bytes"):
            call()
    assert fine.get("text") == server.get("text") == b"hello"
    assert shown_errors()["TCPStore add"] == (
        "DistNetworkError: Failed to recv, got 0 bytes. Connection was "
        "likely closed. Did the remote server shutdown or crash?"
    )
    assert shown_errors()["no server"] == shown_errors()["TCPStore add"]
    in_memory = dist.HashStore()
    in_memory.set("text", "hello")
    with pytest.raises(ValueError, match="stoll"):
        in_memory.add("text", 1)


def test_init_fails_as_quoted(monkeypatch):
    for name in ("RANK", "TORCHELASTIC_USE_AGENT_STORE"):
        monkeypatch.setenv(name, "0")  # so that it is put back afterwards
    cases = dict(store_errors.init_errors())
    texts = shown_errors()
    for name in ("no torchrun", "both", "no rank", "port 0, rank 1"):
        assert store_errors.error_of(cases[name]) == texts[name]
    assert "environment variable RANK expected, but not set" in texts[
        "no torchrun"
    ]
    assert texts["both"].endswith("Cannot specify both init_method and store.")
    assert "1/2 clients joined" in texts["port 0, rank 0"]


def test_error_of_tells_success():
    assert store_errors.error_of(lambda: 3) == "no error: 3"


@pytest.mark.claim(
    zh="两个线程共用一个 TCPStore 句柄：一个在等，另一个也动不了；各用 clone() 则 100 轮都通过",
    en="Two threads on one TCPStore handle: while one waits the other cannot move; with clone() 100 rounds pass",
    against_zh="真实的超时",
    against_en="the timeout itself",
    snippets=["distributed/wrong_one_handle.py", "distributed/right_one_handle.py"],
)
def test_one_handle_is_for_one_thread(capsys):
    with pytest.raises(dist.DistStoreError, match="1000ms, keys: /pong"):
        wrong_one_handle.on_one_handle()
    right_one_handle.main()
    assert capsys.readouterr().out == "100 rounds\n"


def test_a_hash_store_may_be_shared():
    store = dist.HashStore()
    store.set_timeout(timedelta(seconds=20))
    assert wrong_one_handle.rally(store, store) == 100


def join_again(rank, path):
    """The next run, after the one that left its file; rank 1 alone."""
    dist.destroy_process_group()
    with pytest.raises(RuntimeError) as error:
        wrong_reused_file.join(1, path, 0.1)
    return str(error.value)


def join_fresh(rank, path):
    dist.destroy_process_group()
    return right_reused_file.join_and_leave(rank, path)


def leave_file(rank, path, kept):
    """A copy of the file as it is while the run goes on."""
    dist.destroy_process_group()
    text = wrong_reused_file.join(rank, path)
    dist.barrier()
    if rank == 0:
        Path(kept).write_bytes(Path(path).read_bytes())
    dist.barrier()
    dist.destroy_process_group()
    return text


@pytest.mark.claim(
    zh="被杀的任务留下的 FileStore 文件里是死进程的地址：再用它，Gloo connectFullMesh failed",
    en="The FileStore file of a killed run holds dead processes' addresses: with it, Gloo connectFullMesh failed",
    against_zh="第二次只启动 rank 1，先读到旧地址",
    against_en="rank 1 of the second run alone, which reads the old address",
    snippets=["distributed/wrong_reused_file.py", "distributed/right_reused_file.py"],
)
def test_a_file_is_for_one_run(tmp_path):
    path, kept = f"{tmp_path}/store", f"{tmp_path}/kept"
    sums = ["rank 0: sum 3", "rank 1: sum 3"]
    assert run_ranks(leave_file, 2, path, kept) == sums
    (text,) = run_ranks(join_again, 1, kept)
    assert text.startswith("Gloo connectFullMesh failed with")
    assert "Connection refused" in text or "Connect timeout" in text
    assert run_ranks(join_fresh, 2, f"{tmp_path}/fresh") == sums


def test_the_pair_prints_both_ends():
    wrong = (FOLDER / "wrong_reused_file.out").read_text()
    assert wrong == (
        "left behind: ['store']\nRuntimeError: Gloo connectFullMesh failed\n"
    )
    right = (FOLDER / "right_reused_file.out").read_text()
    assert right == (
        "left behind: ['run-1']\nrank 0: sum 3\nrank 1: sum 3\n"
    )


def test_a_killed_rank_exits_without_cleaning_up(tmp_path, monkeypatch):
    """`killed` exits with 1 at once, whether or not it got in."""
    codes = []
    monkeypatch.setattr(wrong_reused_file, "join", lambda *_: 1 / 0)
    monkeypatch.setattr(os, "_exit", codes.append)
    with pytest.raises(ZeroDivisionError):
        wrong_reused_file.killed(0, f"{tmp_path}/store")
    assert codes == [1]


def test_queues_need_libuv():
    old = store_errors.listen(timedelta(seconds=20), libuv=False)
    old.append("a", "x")  # the rest of the extended calls is there
    with pytest.raises(NotImplementedError) as error:
        old.queue_push("jobs", "7")
    assert f"NotImplementedError: {error.value}" == shown_errors()[
        "use_libuv=False"
    ]
