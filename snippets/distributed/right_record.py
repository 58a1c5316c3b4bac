"""With @record the report ends in the rank's own traceback."""

import sys

from torch.distributed.elastic.multiprocessing.errors import (
    ChildFailedError,
    record,
)
from torch.distributed.run import main as torchrun

SHOWN = ("exitcode", "traceback", "raise", "ValueError")


# --8<-- [start:main]
# from torch.distributed.elastic.multiprocessing.errors import record
@record
def main():
    raise ValueError("learning rate -1")


# --8<-- [end:main]


def start_me():
    """Start this file with torchrun; print the last lines of its report."""
    try:
        torchrun(["--nproc-per-node=1", __file__, "as a rank"])
    except ChildFailedError as error:
        lines = str(error).splitlines()
        print("ChildFailedError:")
        print(*(s for s in lines if s.lstrip().startswith(SHOWN)), sep="\n")


if __name__ == "__main__":
    main() if "as a rank" in sys.argv else start_me()
