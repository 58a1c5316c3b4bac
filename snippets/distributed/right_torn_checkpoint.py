"""Killed while it writes a new file beside the whole one."""

import os

from torn_write import two_attempts, write


# --8<-- [start:main]
def save(state, path, kill=False):
    with open(f"{path}.part", "wb") as file:
        write(state, file, kill)
    # all of the new file, or the old one
    os.replace(f"{path}.part", path)


# --8<-- [end:main]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    two_attempts(save)
