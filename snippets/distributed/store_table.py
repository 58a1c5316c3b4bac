"""What each store answers to each call, as a table in Markdown.

`{{zh|en}}` is a word in both languages; the page takes its own.
"""

import tempfile

import torch.distributed as dist

from bare_ranks import shows


def tell(call, store):
    """Return what a call, `get("k")`, returns, or the name of its error."""
    try:
        return f"`{eval(f'store.{call}', {'store': store})!r}`"
    except Exception as error:  # noqa: BLE001 - the table shows it
        return f"**{type(error).__name__}**"


# --8<-- [start:stores]
def open_stores(folder):
    tcp, inner = (
        dist.TCPStore("localhost", 0, None, True, wait_for_workers=False)
        for _ in range(2)
    )
    return {
        "TCPStore": tcp,
        "FileStore": dist.FileStore(f"{folder}/store", 2),
        "HashStore": dist.HashStore(),
        "PrefixStore": dist.PrefixStore("run7", inner),
    }


# --8<-- [end:stores]


# --8<-- [start:calls]
CALLS = """
set("k", "v")                   | 写入|write
get("k")                        | 读取；没有就等|read; waits for it
add("n", 2)                     | 加，返回新值；没有时从 0 起|add, from 0
add("n", 3)                     | 各 rank 同时加也不丢|atomic
get("n")                        | 数字按文本存放|a number is text
check(["k", "n"])               | 全都有？不等待|all there? no waiting
check(["k", "no"])              | 缺一个就是 False|one is missing
wait(["k", "n"])                | 等到全都有|wait for all
compare_set("c", "", "a")       | 没有才写入|write if absent
compare_set("c", "b", "x")      | 旧值不符，返回现值|refused: the value
compare_set("no", "b", "x")     | 没有这个键：不写入|no key: not written
delete_key("k")                 | 删除|delete
delete_key("no")                | 删除不存在的键|delete what is not there
num_keys()                      | 键的个数|number of keys
append("a", "xy")               | 接在后面|append
multi_set(["p", "q"], ["1", "2"]) | 一次写几个|several at once
multi_get(["p", "q", "a"])      | 一次读几个|several at once
queue_push("jobs", "7")         | 放进队尾|into the queue
queue_pop("jobs")               | 取出队首；没有就等|out of it; waits
queue_pop("jobs", False)        | 不等，没有就报错|does not wait
clone().get("n")                | 给另一个线程的句柄|a handle for another thread
has_extended_api()              | append、multi_*？|append, multi_*?
set("s", "text")                | |
add("s", 1)                     | 值不是数字|not a number
get("s")                        | 之后还能用吗？|usable after that?
"""


# --8<-- [end:calls]


def rows(stores):
    """Yield the table's lines; every call really happens, in this order."""
    yield "| {{调用|call}} | {{四种 Store 的回答|what the four stores answer}} |"
    yield "| --- | --- |"
    for line in CALLS.strip().splitlines():
        code, zh, en = (part.strip() for part in line.split("|"))
        answers = {}
        for name, store in stores.items():
            answers.setdefault(tell(code, store), []).append(name)
        cells = [
            answer if len(answers) == 1 else f"{answer} {', '.join(names)}"
            for answer, names in answers.items()
        ]
        words = f"<br>{{{{{zh}|{en}}}}}" if zh else ""
        yield f"| `{code}`{words} | {'<br>'.join(cells)} |"


if __name__ == "__main__":
    if shows():
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(rows(open_stores(folder))))
