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


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main()
    else:
        command = [sys.executable, "-m", "torch.distributed.launch", __file__]
        job = subprocess.run(command, capture_output=True, text=True)
        print(*(s for s in job.stderr.splitlines() if " error: " in s))
        sys.exit(job.returncode)
