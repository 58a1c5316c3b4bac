"""A store of its own for each attempt: rank 1 waits for rank 0."""

import os

from restart_store import attempt, start_agent


# --8<-- [start:main]
def main():
    os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    agent = start_agent()
    attempt(0, agent, late=0)  # its workers end; torchrun starts new ones
    attempt(1, agent, late=1)


# --8<-- [end:main]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    main()
