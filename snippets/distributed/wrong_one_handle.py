"""Two threads share one handle of a TCPStore: one waits, the other must."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import torch.distributed as dist

from bare_ranks import shows


# --8<-- [start:rally]
def rally(ours, theirs, rounds=100):
    """Two threads send a ball to and fro through two queues of a store."""

    def other():
        for _ in range(rounds):
            theirs.queue_pop("ping")
            theirs.queue_push("pong", "ball")

    with ThreadPoolExecutor() as pool:
        pool.submit(other)
        for _ in range(rounds):
            ours.queue_push("ping", "ball")
            ours.queue_pop("pong")
    return rounds


# --8<-- [end:rally]


# --8<-- [start:main]
def on_one_handle():
    limit = timedelta(seconds=1)
    store = dist.TCPStore("localhost", 0, None, True, limit, False)
    print(f"{rally(store, store)} rounds", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    if shows():
        on_one_handle()
