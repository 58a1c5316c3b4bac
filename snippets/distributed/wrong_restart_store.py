"""By default attempt 1 gets the store that attempt 0 has written to."""

import os

from restart_store import attempt, start_agent


# --8<-- [start:main]
def main():
    agent = start_agent()
    attempt(0, agent, late=0)  # its workers end; torchrun starts new ones
    try:
        attempt(1, agent, late=20)
    except RuntimeError as error:
        print("attempt 1:", str(error).partition(", remote")[0])


# --8<-- [end:main]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    main()
