"""By default attempt 1 gets the store that attempt 0 has written to."""

import os

from restart_store import attempt, join, start_agent


# --8<-- [start:main]
def main():
    agent = start_agent()
    join(attempt(0, agent))  # its workers end; torchrun starts new ones
    attempt(1, agent)


# --8<-- [end:main]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    main()
