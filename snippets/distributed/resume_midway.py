"""Stop in the middle of an epoch, go on in a new run, bit for bit."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset

from launch import device, launch, shared_folder
from midway_state import PARTS, Shard, load, save

EPOCHS, BATCH = 3, 4


# --8<-- [start:run]
class Run:
    def __init__(self, seed):
        torch.manual_seed(10 * seed + dist.get_rank())
        net = [nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1)]
        self.model = nn.Sequential(*net).to(device())
        self.ddp = DDP(self.model)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.05)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(
            self.optimizer, T_max=15
        )
        gen = torch.Generator().manual_seed(0)
        x = torch.randn(40, 4, generator=gen)
        self.sampler = Shard(x)
        self.loader = DataLoader(
            TensorDataset(x, x.sum(1, keepdim=True)),
            BATCH,
            sampler=self.sampler,
            generator=torch.Generator(),  # seeded below
        )
        self.epoch = self.batch = 0

    def steps(self):
        """Train to the end from wherever the run is; yield after each step."""
        while self.epoch < EPOCHS:
            self.sampler.set_epoch(self.epoch)
            seed = 1000 * self.epoch + dist.get_rank()
            self.loader.generator.manual_seed(seed)  # the workers' seeds
            self.sampler.start = self.batch * BATCH
            for x, y in self.loader:
                loss = (self.ddp(x.to(device())) - y.to(device())).square()
                self.optimizer.zero_grad()
                loss.mean().backward()
                self.optimizer.step()
                self.scheduler.step()
                self.batch += 1
                yield
            self.epoch, self.batch = self.epoch + 1, 0


# --8<-- [end:run]


# --8<-- [start:main]
def stop_and_go_on(rank, path):
    straight = Run(seed=0)
    for step, _ in enumerate(straight.steps(), 1):
        if step == 7:  # the second batch of epoch 1
            save(path, straight)

    for without in (None, *PARTS, "position", "rng"):
        resumed = Run(seed=1)  # a new job: other weights, another seed
        load(path, resumed, without)
        for _ in resumed.steps():
            pass
        a, b = (
            nn.utils.parameters_to_vector(run.model.parameters())
            for run in (resumed, straight)
        )
        off = (a - b).abs().max().item()
        if rank == 0:
            result = f"off by {off:.3f}" if off else "bit-equal"
            print(f"without {without or 'nothing':10}{result}", flush=True)


# --8<-- [end:main]


def resume_midway(rank):
    with shared_folder() as folder:
        stop_and_go_on(rank, os.path.join(folder, "checkpoint.pt"))


if __name__ == "__main__":
    launch(resume_midway)
