"""A checkpoint with the command line's arguments in it."""

import argparse
import io
import pickle
import sys

import torch


# --8<-- [start:main]
def main():
    args = argparse.Namespace(lr=0.1, epochs=3)
    file = io.BytesIO()
    torch.save({"model": {}, "args": args}, file)

    file.seek(0)
    print(torch.load(file)["args"])


# --8<-- [end:main]


if __name__ == "__main__":
    try:
        main()
    except pickle.UnpicklingError as error:  # of its ten lines, two
        first, *lines = (line.strip() for line in str(error).splitlines())
        first = first.partition(".")[0]
        reason = next(line for line in lines if "Unsupported" in line)
        sys.exit(f"_pickle.UnpicklingError: {first}.\n{reason}")
