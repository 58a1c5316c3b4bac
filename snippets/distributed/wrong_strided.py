"""gloo's all_reduce takes a column for the numbers that lie side by side."""

import torch
import torch.distributed as dist

from launch import launch


# --8<-- [start:main]
def sum_first_column(rank):
    table = torch.tensor([[1, 2], [3, 4], [5, 6]])
    column = table[:, 0]  # every second number in memory
    dist.all_reduce(column)
    if rank == 0:
        print(f"should be [[2, 2], [6, 4], [10, 6]]\nis {table.tolist()}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(sum_first_column, backend="gloo")
