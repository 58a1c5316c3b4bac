"""Node 1 is told the address where node 0 listens."""

import torch.distributed as dist
from torch.distributed.run import main as torchrun


# --8<-- [start:main]
def join(port):
    """What node 1 runs: find the others at node 0's address."""
    torchrun(
        [
            "--rdzv-backend=c10d",
            f"--rdzv-endpoint=localhost:{port}",
            "--rdzv-conf=is_host=0,read_timeout=60",
            "--no-python",
            "echo",
            "worker started",
        ]
    )


def main():
    node_0 = dist.TCPStore("localhost", 0, is_master=True)
    join(node_0.port)


# --8<-- [end:main]


if __name__ == "__main__":
    main()
