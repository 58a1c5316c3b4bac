"""A store of its own for each attempt."""

import os

from restart_store import attempt, join, start_agent


# --8<-- [start:main]
def main():
    os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    agent = start_agent()
    join(attempt(0, agent))  # its workers end; torchrun starts new ones
    join(attempt(1, agent))


# --8<-- [end:main]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    main()
