"""Every rank starts its send, receives, and only then waits for the send."""

import torch
import torch.distributed as dist

from launch import launch, print_in_turn


# --8<-- [start:main]
def pass_on(rank):
    world_size = dist.get_world_size()
    own, arrived = torch.tensor([rank]), torch.tensor([-1])
    sending = dist.isend(own, (rank + 1) % world_size)
    dist.recv(arrived, (rank - 1) % world_size)
    sending.wait()
    print_in_turn(f"rank {rank} has {arrived.item()}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(pass_on, backend="gloo")
