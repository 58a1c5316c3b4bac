"""Killed while it writes over its only checkpoint."""

import os

from torn_write import two_attempts, write


# --8<-- [start:main]
def save(state, path, kill=False):
    with open(path, "wb") as file:
        write(state, file, kill)


# --8<-- [end:main]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    two_attempts(save)
