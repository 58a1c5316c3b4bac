"""The same with DDP: one process per GPU, or two on the CPU."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.run import main as torchrun
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS = 3
BATCH = 64


# --8<-- [start:yours]
def make_dataset():
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(2048, 16, generator=gen)
    return TensorDataset(x, (x[:, 0] > x[:, 1]).long())


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 2))


def loss_fn(output, target):
    return nn.functional.cross_entropy(output, target)  # the batch's mean


# --8<-- [end:yours]


# --8<-- [start:train]
def train(device):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    model = DDP(make_model().to(device))
    dataset = make_dataset()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, BATCH // world_size, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = loss_fn(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            mean = total / len(loader) / world_size
            print(f"epoch {epoch}: loss {mean:.4f}")
    return model


# --8<-- [end:train]


# --8<-- [start:main]
def pick_device():
    """A GPU for each process on this machine, or the CPU for all of them."""
    if torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"]):
        return "cpu"
    return f"cuda:{os.environ['LOCAL_RANK']}"


def main():
    device = pick_device()
    if device != "cpu":
        torch.cuda.set_device(device)
    dist.init_process_group("gloo" if device == "cpu" else "nccl")
    model = train(device)
    norm = sum(p.detach().abs().sum() for p in model.parameters())
    for turn in range(dist.get_world_size()):  # or the lines would mix
        if turn == dist.get_rank():
            print(f"rank {turn} on {device}: weights {norm:.3f}", flush=True)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:  # torchrun started this process
        main()
    else:  # plain `python`: start one process per GPU, or two on the CPU
        nproc = torch.cuda.device_count() or 2
        torchrun(["--standalone", f"--nproc-per-node={nproc}", __file__])
# --8<-- [end:main]
