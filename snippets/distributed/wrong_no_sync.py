"""Only backward inside no_sync: it communicates each time all the same."""

from contextlib import nullcontext

from torch.nn.functional import mse_loss

from accumulation import gradient
from launch import launch


# --8<-- [start:main]
def accumulate_wrong(ddp, batches):
    for number, (x, y) in enumerate(batches, 1):
        last = number == len(batches)
        loss = mse_loss(ddp(x), y)  # here DDP decides to synchronise
        with nullcontext() if last else ddp.no_sync():
            (loss / len(batches)).backward()


# --8<-- [end:main]


def show(rank):
    times, _ = gradient(accumulate_wrong, rank)
    if rank == 0:
        print(f"{times} all-reduces for 4 micro-batches", flush=True)


if __name__ == "__main__":
    launch(show)
