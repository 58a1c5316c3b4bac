"""One restart as the ranks see it: which store does torchrun give them?

The agent is torchrun's own rendezvous; two threads stand for the two workers.
"""

import os
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from threading import Barrier

import torch.distributed as dist
from torch.distributed.elastic.rendezvous import RendezvousParameters
from torch.distributed.elastic.rendezvous.registry import (
    get_rendezvous_handler,
)

LIMIT = timedelta(seconds=30)


def start_agent():
    """What `torchrun --standalone` makes of its options."""
    options = RendezvousParameters(
        "c10d", "localhost:0", "job", min_nodes=1, max_nodes=1, is_host=True
    )
    return get_rendezvous_handler(options)


# --8<-- [start:attempt]
def attempt(number, agent, late):
    """Start rank 1, and rank 0 `late` seconds after it."""
    where = agent.next_rendezvous().bootstrap_store_info
    os.environ |= {
        "MASTER_ADDR": where.master_addr,
        "MASTER_PORT": str(where.master_port),
        "TORCHELASTIC_USE_AGENT_STORE": str(agent.use_agent_store),
        "TORCHELASTIC_RESTART_COUNT": str(number),
    }
    with ThreadPoolExecutor(2) as threads:
        together = Barrier(2)
        rank1 = threads.submit(join, 1, together)
        wait([rank1], late)
        if rank1.done():  # without rank 0: it has failed
            raise rank1.exception()
        rank0 = threads.submit(join, 0, together)
        print(f"attempt {number}: {rank0.result()}, {rank1.result()}")


def join(rank, together):
    """What `init_process_group("gloo")` does in a worker."""
    where = f"env://?rank={rank}&world_size=2"
    store, *_ = next(dist.rendezvous(where, timeout=LIMIT))
    store = dist.PrefixStore("default_pg", store)
    group = dist.ProcessGroupGloo(store, rank, 2, LIMIT)
    together.wait()
    return f"rank {group.rank()} joined"


# --8<-- [end:attempt]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    attempt(0, start_agent(), late=0)
