"""Each thread has a handle of its own to the same TCPStore."""

from datetime import timedelta

import torch.distributed as dist

from bare_ranks import shows
from wrong_one_handle import rally


# --8<-- [start:main]
def main():
    limit = timedelta(seconds=1)
    store = dist.TCPStore("localhost", 0, None, True, limit, False)
    print(f"{rally(store, store.clone())} rounds", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    if shows():
        main()
