"""torchrun's report of a rank that raised does not say why it did."""

import sys

SHOWN = ("exitcode", "error_file", "traceback")


# --8<-- [start:main]
def main():
    raise ValueError("learning rate -1")


# --8<-- [end:main]


def start_me():
    """Start this file with torchrun; print the last lines of its report."""
    from torch.distributed.elastic.multiprocessing import errors
    from torch.distributed.run import main as torchrun

    try:
        torchrun(["--nproc-per-node=1", __file__, "as a rank"])
    except errors.ChildFailedError as error:
        lines = str(error).splitlines()
        print("ChildFailedError:")
        print(*(s for s in lines if s.lstrip().startswith(SHOWN)), sep="\n")


if __name__ == "__main__":
    main() if "as a rank" in sys.argv else start_me()
