"""One restart as the ranks see it: which store does torchrun give them?

The agent is torchrun's own rendezvous; two threads stand for the two workers.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import torch.distributed as dist
from torch.distributed.elastic.rendezvous import RendezvousParameters
from torch.distributed.elastic.rendezvous.registry import (
    get_rendezvous_handler,
)

LIMIT = timedelta(seconds=60)


def start_agent():
    """What `torchrun --standalone` makes of its options."""
    options = RendezvousParameters(
        "c10d", "localhost:0", "job", min_nodes=1, max_nodes=1, is_host=True
    )
    return get_rendezvous_handler(options)


# --8<-- [start:attempt]
def attempt(number, agent):
    """Return each rank's store, and print what is in it already."""
    where = agent.next_rendezvous().bootstrap_store_info
    os.environ |= {
        "MASTER_ADDR": where.master_addr,
        "MASTER_PORT": str(where.master_port),
        "TORCHELASTIC_USE_AGENT_STORE": str(agent.use_agent_store),
        "TORCHELASTIC_RESTART_COUNT": str(number),
    }
    with ThreadPoolExecutor(2) as threads:
        stores = list(threads.map(open_store, range(2)))
    keys = [k for k in stores[1].list_keys() if k.startswith("default_pg/")]
    print(f"attempt {number}: {len(keys)} addresses of ranks in the store")
    return stores


def open_store(rank):
    where = f"env://?rank={rank}&world_size=2"
    return next(dist.rendezvous(where, timeout=LIMIT))[0]


def join(stores):
    """What `init_process_group("gloo")` does: leave an address, read all."""

    def group(rank):
        store = dist.PrefixStore("default_pg", stores[rank])
        return dist.ProcessGroupGloo(store, rank, 2, LIMIT)

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(group, range(2)))


# --8<-- [end:attempt]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    attempt(0, start_agent())
