"""A second job that lets the system choose a free port."""

import torch.distributed as dist


# --8<-- [start:main]
def main():
    first = dist.TCPStore("localhost", 0, is_master=True)  # another job

    # Port 0: any free one. Ranks other than 0 need to be told `store.port`.
    store = dist.TCPStore("localhost", 0, is_master=True)
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    print(f"initialised, on a port of its own: {store.port != first.port}")


# --8<-- [end:main]


if __name__ == "__main__":
    main()
    dist.destroy_process_group()
