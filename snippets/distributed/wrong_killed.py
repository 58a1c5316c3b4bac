"""A rank that the kernel kills leaves no traceback."""

import os
import signal
import sys


def take_memory():
    """Stand in for more than there is, by what the kernel then does."""
    os.kill(os.getpid(), signal.SIGKILL)


# --8<-- [start:main]
def main():
    print("loading the data", flush=True)
    take_memory()
    print("loaded")


# --8<-- [end:main]


def start_me():
    """Start this file with torchrun; print the last lines of its report."""
    from torch.distributed.elastic.multiprocessing import errors
    from torch.distributed.run import main as torchrun

    try:
        torchrun(["--nproc-per-node=1", __file__, "as a rank"])
    except errors.ChildFailedError as error:
        lines = str(error).splitlines()
        shown = ("exitcode", "error_file", "traceback")
        print(*(s for s in lines if s.lstrip().startswith(shown)), sep="\n")


if __name__ == "__main__":
    main() if "as a rank" in sys.argv else start_me()
