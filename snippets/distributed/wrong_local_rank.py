"""A parser for `--local_rank`, and a launcher that passes `--local-rank`."""

import argparse
import subprocess
import sys


# --8<-- [start:main]
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    args = parser.parse_args()
    print(f"local rank {args.local_rank}")


# --8<-- [end:main]


def launch_me():
    options = ["-m", "torch.distributed.launch", "--standalone", __file__]
    job = subprocess.run(
        [sys.executable, *options], check=False, capture_output=True, text=True
    )
    print(*(s for s in job.stderr.splitlines() if ": error: " in s), sep="\n")
    sys.exit(job.returncode)


if __name__ == "__main__":
    main() if len(sys.argv) > 1 else launch_me()
