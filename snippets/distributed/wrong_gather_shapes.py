"""all_gather of tensors whose shape differs from rank to rank."""

import torch
import torch.distributed as dist

from launch import launch


def short(error):
    """Leave out the two calls' descriptions, 600 characters of them."""
    first, *_, last = str(error).split(". ")
    return f"{first} … {last.split(':   ')[-1]}"


# --8<-- [start:main]
def gather_samples(rank):
    x = torch.arange(2.0 + rank)  # 2 samples on rank 0, 3 on rank 1
    pieces = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    try:
        dist.all_gather(pieces, x)
        result = str(pieces)
    except RuntimeError as error:
        result = short(error)
    if rank == 0:
        print(result, flush=True)


if __name__ == "__main__":
    # As TORCH_DISTRIBUTED_DEBUG=DETAIL does; without it a process aborts.
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    launch(gather_samples, timeout=5, backend="gloo")
# --8<-- [end:main]
