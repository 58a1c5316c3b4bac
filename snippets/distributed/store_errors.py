"""How init methods and stores fail: the literal text of each error."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import torch.distributed as dist

from bare_ranks import shows


def error_of(call):
    try:
        return f"no error: {call()!r}"
    except Exception as error:  # noqa: BLE001 - it is what we show
        return f"{type(error).__name__}: {error}"


# --8<-- [start:init]
def init_errors():
    """Four ways to get init_process_group or rendezvous wrong."""
    os.environ.pop("RANK", None)  # as plain `python` leaves it
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"
    both = {"init_method": "env://", "store": dist.HashStore()}
    limit = timedelta(seconds=1)
    yield "no torchrun", lambda: dist.init_process_group("gloo")
    yield "both", lambda: dist.init_process_group("gloo", **both)
    alone = {"store": both["store"]}
    yield "no rank", lambda: dist.init_process_group("gloo", **alone)
    yield (
        "port 0, rank 1",
        lambda: next(
            dist.rendezvous("tcp://localhost:0", 1, 2, timeout=limit)
        ),
    )
    yield (
        "port 0, rank 0",
        lambda: next(
            dist.rendezvous("tcp://localhost:0", 0, 2, timeout=limit)
        ),
    )


# --8<-- [end:init]


# --8<-- [start:store]
def listen(limit, libuv=True):
    return dist.TCPStore(
        "localhost", 0, None, True, limit, False, use_libuv=libuv
    )


def store_errors(tcp, legacy, file, in_memory):
    """A key that is never set; an add on text; no queues; no server."""
    one, two, three = tcp.clone(), tcp.clone(), tcp.clone()
    yield "TCPStore get", lambda: one.get("nokey")
    yield "FileStore get", lambda: file.get("nokey")
    yield "HashStore get", lambda: in_memory.get("nokey")
    half = tcp.timeout / 2
    yield "TCPStore wait", lambda: two.wait(["a", "b"], half)
    tcp.set("text", "hello")
    in_memory.set("text", "hello")
    yield "TCPStore add", lambda: three.add("text", 1)
    yield "HashStore add", lambda: in_memory.add("text", 1)
    yield "FileStore queue", lambda: file.queue_push("jobs", "7")
    yield "use_libuv=False", lambda: legacy.queue_push("jobs", "7")
    yield "empty queue", lambda: in_memory.queue_pop("jobs", False)
    orphan = listen(tcp.timeout).clone()  # nobody holds the one that listens
    yield "no server", lambda: orphan.get("text")


# --8<-- [end:store]


def main():
    limit = timedelta(seconds=1)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        file, in_memory = dist.FileStore(f"{folder}/store"), dist.HashStore()
        for store in (file, in_memory):
            store.set_timeout(limit)
        stores = listen(limit), listen(limit, libuv=False), file, in_memory
        cases = [*init_errors(), *store_errors(*stores)]
        # All at once: most of them only wait.
        found = pool.map(error_of, (call for _, call in cases))
        for (name, _), text in zip(cases, found, strict=True):
            print(f"{name}\n  {text}")


if __name__ == "__main__":
    if shows():
        main()
