"""A script that starts its own ranks, with torch.multiprocessing.spawn."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


# --8<-- [start:main]
def train(rank, world_size, folder):  # at the top level: can be pickled
    gpus = torch.cuda.device_count() >= world_size
    device = torch.device("cuda", rank) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)
    dist.init_process_group(
        "nccl" if gpus else "gloo",
        init_method=f"file://{folder}/store",  # no RANK in the environment
        rank=rank,
        world_size=world_size,
    )
    total = torch.tensor(rank + 1.0, device=device)  # your training here
    dist.all_reduce(total)
    for turn in range(world_size):
        if turn == rank:
            print(f"rank {rank}: 1 + 2 = {total.item():g}", flush=True)
        dist.barrier()
    dist.destroy_process_group()


# --8<-- [start:start]
def main(world_size=2):
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(world_size, folder), nprocs=world_size)


# torchrun would call main() in each of its own ranks: one is enough
if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    main()
# --8<-- [end:start]
# --8<-- [end:main]
