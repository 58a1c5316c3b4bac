"""The collectives: what each rank holds before, and what it holds after.

Rank r starts with W numbers, 10 r + c in place c: 23 is rank 2's number 3.
"""

import torch
import torch.distributed as dist

from launch import device, launch

ROOT = 0  # the rank that gives, or gets, where one rank is special


# --8<-- [start:moves]
def broadcast(own):
    """ROOT's tensor on every rank, in place."""
    dist.broadcast(own, ROOT)
    return own


def scatter(own):
    """Piece r of ROOT's tensor on rank r."""
    piece = own.new_empty(1)
    is_root = dist.get_rank() == ROOT
    dist.scatter(piece, list(own.split(1)) if is_root else None, ROOT)
    return piece


def gather(own):
    """Each rank's first number, in a list on ROOT."""
    is_root = dist.get_rank() == ROOT
    pieces = [own.new_empty(1) for _ in own] if is_root else None
    dist.gather(own[:1], pieces, ROOT)
    return torch.cat(pieces) if is_root else own[:0]


def all_gather(own):
    """The same list on every rank."""
    pieces = [own.new_empty(1) for _ in own]
    dist.all_gather(pieces, own[:1])
    return torch.cat(pieces)


# --8<-- [end:moves]


# --8<-- [start:sums]
def reduce(own):
    """The sum on ROOT; what the others hold afterwards is undefined."""
    dist.reduce(own, ROOT)
    return own if dist.get_rank() == ROOT else own[:0]


def all_reduce(own):
    """The sum on every rank, in place."""
    dist.all_reduce(own)
    return own


def reduce_scatter(own):
    """Piece r of the sum on rank r."""
    piece = own.new_empty(1)
    dist.reduce_scatter(piece, list(own.split(1)))
    return piece


def all_to_all(own):
    """Piece r of every rank's tensor on rank r: a transpose."""
    pieces = torch.empty_like(own)
    dist.all_to_all_single(pieces, own)
    return pieces


# --8<-- [end:sums]

MOVES = [broadcast, scatter, gather, all_gather, all_to_all]
SUMS = [reduce, all_reduce, reduce_scatter]


# --8<-- [start:show]
def start(rank, world_size):
    return torch.arange(world_size, device=device()) + 10 * rank


def show(rank):
    world_size = dist.get_world_size()
    table = {"before": start(rank, world_size)}
    for collective in MOVES + SUMS:  # the same order on every rank
        own = start(rank, world_size)
        table[collective.__name__] = collective(own)
    rows = [None] * world_size
    dist.all_gather_object(rows, {k: v.tolist() for k, v in table.items()})
    if rank == ROOT:
        print_table(rows)


# --8<-- [end:show]


def print_table(rows):
    wide = 3 * len(rows) + 1
    heads = (f"{f'rank {rank}':{wide}}" for rank in range(len(rows)))
    print(f"{'':15}", " ".join(heads).rstrip())
    for name in rows[0]:
        cells = (" ".join(f"{v:02}" for v in row[name]) or "-" for row in rows)
        line = " ".join(f"{cell:{wide}}" for cell in cells)
        print(f"{name:15}", line.rstrip(), flush=True)


if __name__ == "__main__":
    launch(show, (2, 4))
