"""A limit of one's own: too much memory raises, where it is asked for."""

import resource
import sys

GIB = 2**30


def take_memory():
    return bytearray(4 * GIB)


# --8<-- [start:main]
def main():
    # at most memory / (ranks * (1 + num_workers)): each has its own
    limit = 2 * GIB
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    print("loading the data", flush=True)
    try:
        take_memory()
    except MemoryError:
        print("MemoryError while loading", flush=True)
        raise


# --8<-- [end:main]


def start_me():
    """Start this file with torchrun; print the last lines of its report."""
    from torch.distributed.elastic.multiprocessing import errors
    from torch.distributed.run import main as torchrun

    try:
        torchrun(["--nproc-per-node=1", __file__, "as a rank"])
    except errors.ChildFailedError as error:
        lines = str(error).splitlines()
        print(*(s for s in lines if s.lstrip().startswith("exitcode")))


if __name__ == "__main__":
    main() if "as a rank" in sys.argv else start_me()
