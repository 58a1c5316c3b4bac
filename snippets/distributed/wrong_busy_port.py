"""A second job takes the port that the first one listens on."""

import os

import torch.distributed as dist


# --8<-- [start:main]
def main():
    first = dist.TCPStore("localhost", 0, is_master=True)  # another job

    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = str(first.port)
    dist.init_process_group("gloo", rank=0, world_size=1)


# --8<-- [end:main]


if __name__ == "__main__":
    main()
