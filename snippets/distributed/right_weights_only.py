"""Name the class that the file may hold, or save plain values."""

import argparse
import io

import torch


# --8<-- [start:main]
def main():
    args = argparse.Namespace(lr=0.1, epochs=3)
    file = io.BytesIO()
    torch.save({"model": {}, "args": args}, file)

    file.seek(0)  # an old file: allow this class, within this block
    with torch.serialization.safe_globals([argparse.Namespace]):
        print(torch.load(file)["args"])

    file = io.BytesIO()  # a new file: a dictionary needs no permission
    torch.save({"model": {}, "args": vars(args)}, file)
    file.seek(0)
    print(torch.load(file)["args"])


# --8<-- [end:main]


if __name__ == "__main__":
    main()
