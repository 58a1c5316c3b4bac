"""What each store answers to each call, as a table in Markdown."""

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
set("k", "v")
get("k")
add("n", 2)
add("n", 3)
get("n")
check(["k", "n"])
check(["k", "no"])
wait(["k", "n"])
compare_set("c", "", "a")
compare_set("c", "b", "x")
compare_set("no", "b", "x")
delete_key("k")
delete_key("no")
num_keys()
append("a", "xy")
multi_set(["p", "q"], ["1", "2"])
multi_get(["p", "q", "a"])
queue_push("jobs", "7")
queue_pop("jobs")
queue_pop("jobs", False)
clone().get("n")
has_extended_api()
set("s", "text")
add("s", 1)
get("s")
"""


# --8<-- [end:calls]


def rows(stores):
    """Yield the table's lines; every call really happens, in this order."""
    yield "| Call | Answer |"
    yield "| --- | --- |"
    for code in CALLS.strip().splitlines():
        answers = {}
        for name, store in stores.items():
            answers.setdefault(tell(code, store), []).append(name)
        cells = [
            answer if len(answers) == 1 else f"{answer} {', '.join(names)}"
            for answer, names in answers.items()
        ]
        yield f"| `{code}` | {'<br>'.join(cells)} |"


if __name__ == "__main__":
    if shows():
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(rows(open_stores(folder))))
