"""The local rank from the environment, where every launcher puts it."""

import os
import subprocess
import sys


# --8<-- [start:main]
def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    print(f"local rank {local_rank}", flush=True)


# --8<-- [end:main]


if __name__ == "__main__":
    if "LOCAL_RANK" in os.environ:
        main()
    else:
        command = [sys.executable, "-m", "torch.distributed.run", __file__]
        sys.exit(subprocess.run(command).returncode)
