"""Four ways into a process group: env://, tcp://, file://, a store of yours.

No port is guessed: this process lets the system choose them and listens.
"""

import os
import tempfile

import torch
import torch.distributed as dist

from bare_ranks import BareRanks, shows


# --8<-- [start:ways]
def ways(rank, size, ports, folder):
    """Each way's arguments to init_process_group."""
    # Here main() has opened the ports, so no rank may listen:
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "True"

    os.environ["RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = str(size)
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = str(ports[0])
    yield "env://", {}  # the default

    me = {"rank": rank, "world_size": size}
    tcp = f"tcp://localhost:{ports[1]}"
    yield "tcp://", {"init_method": tcp, **me}
    file = f"file://{folder}/store"
    yield "file://", {"init_method": file, **me}
    store = dist.TCPStore("localhost", ports[2])
    yield "store=", {"store": store, **me}


# --8<-- [end:ways]


# --8<-- [start:join]
def join_by_each(rank, *where):
    lines = []
    for name, arguments in ways(rank, *where):
        dist.init_process_group("gloo", **arguments)
        total = torch.tensor(rank + 1)
        dist.all_reduce(total)
        size = dist.get_world_size()
        lines.append(f"{name:7} {size} ranks, 1 + … + {size} = {total}")
        dist.barrier()
        dist.destroy_process_group()
    return lines


# --8<-- [end:join]


# --8<-- [start:main]
def main(size=2):
    ranks = BareRanks(join_by_each, size)
    stores = [
        dist.TCPStore("localhost", 0, None, True, wait_for_workers=False)
        for _ in range(3)
    ]
    ports = [store.port for store in stores]
    with tempfile.TemporaryDirectory() as folder:
        first, *others = ranks.call(size, ports, folder)
    assert all(lines == first for lines in others)
    print("\n".join(first))


# --8<-- [end:main]

if __name__ == "__main__":
    if shows():
        main()
