"""Node 1 is told an address where nobody listens."""

import socket

from torch.distributed.run import main as torchrun


# --8<-- [start:main]
def join(port):
    """What node 1 runs: find the others at node 0's address."""
    torchrun(
        [
            "--rdzv-backend=c10d",
            f"--rdzv-endpoint=localhost:{port}",
            "--rdzv-conf=is_host=0,read_timeout=1",  # default: 60 seconds
            "--no-python",
            "echo",
            "worker started",
        ]
    )


def main():
    with socket.socket() as silent:  # taken, but it does not listen
        silent.bind(("localhost", 0))
        join(silent.getsockname()[1])


# --8<-- [end:main]


if __name__ == "__main__":
    main()
