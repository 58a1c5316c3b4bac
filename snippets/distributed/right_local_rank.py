"""The local rank from the environment, where every launcher puts it."""

import os
import subprocess
import sys


# --8<-- [start:main]
def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    print(f"local rank {local_rank}")


# --8<-- [end:main]


def launch_me():
    options = ["-m", "torch.distributed.run", "--standalone", __file__]
    subprocess.run([sys.executable, *options], check=True)


if __name__ == "__main__":
    main() if "LOCAL_RANK" in os.environ else launch_me()
