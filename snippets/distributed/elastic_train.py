"""DDP that goes on from its checkpoint, bit for bit, when it is restarted."""

import argparse
import hashlib
import os
import signal
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.run import main as torchrun
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS = 3
BATCH = 64  # of all ranks together
SAVE_EVERY = 4  # steps


def make_dataset():
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(512, 16, generator=gen)
    return TensorDataset(x, (x[:, 0] > x[:, 1]).long())


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 64), nn.Dropout(0.2), nn.Linear(64, 2))


# --8<-- [start:checkpoint]
def save(path, model, optimizer, step):
    """Rank 0 writes; whenever it is killed, a whole file lies at `path`."""
    if path and dist.get_rank() == 0:
        state = {"model": model.module.state_dict(), "step": step}
        state["optimizer"] = optimizer.state_dict()
        torch.save(state, f"{path}.part")
        os.replace(f"{path}.part", path)


def load(path, model, optimizer, device):
    """Every rank reads; return the first step that is still to do."""
    step = 0
    if path and os.path.exists(path):
        state = torch.load(path, map_location=device)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    steps = [None] * dist.get_world_size()
    dist.all_gather_object(steps, step)
    if len(set(steps)) > 1:
        raise RuntimeError(f"ranks start from {steps}: is {path} shared?")
    return step


# --8<-- [end:checkpoint]
# --8<-- [start:train]
def train(device, path=None, kill_at=None):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if BATCH % world_size:
        raise ValueError(f"{world_size} ranks cannot share {BATCH} samples")
    model = DDP(make_model().to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    dataset = make_dataset()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, BATCH // world_size, sampler=sampler)
    first = load(path, model, optimizer, device)
    attempt = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
    if rank == 0:
        print(f"attempt {attempt}: from step {first}", flush=True)
    for epoch in range(first // len(loader), EPOCHS):
        sampler.set_epoch(epoch)
        for step, (x, y) in enumerate(loader, epoch * len(loader)):
            if step < first:
                continue  # done before the restart
            if (rank, attempt, step) == (1, 0, kill_at):
                os.kill(os.getpid(), signal.SIGKILL)
            torch.manual_seed(step * world_size + rank)  # dropout's
            output = model(x.to(device))
            optimizer.zero_grad()
            nn.functional.cross_entropy(output, y.to(device)).backward()
            optimizer.step()
            if (step + 1) % SAVE_EVERY == 0:
                save(path, model, optimizer, step + 1)
    save(path, model, optimizer, EPOCHS * len(loader))
    return model


# --8<-- [end:train]
# --8<-- [start:main]
def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", nargs="?")  # without it, none
    parser.add_argument("--kill-at", type=int, metavar="STEP")
    args = parser.parse_args(arguments)
    device, backend = "cpu", "gloo"
    if torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"]):
        device, backend = f"cuda:{os.environ['LOCAL_RANK']}", "nccl"
        torch.cuda.set_device(device)
    dist.init_process_group(backend, timeout=timedelta(minutes=2))
    model = train(device, args.checkpoint, args.kill_at)
    if dist.get_rank() == 0:
        data = b"".join(p.numpy(force=True) for p in model.parameters())
        print(f"weights 0x{hashlib.sha256(data).hexdigest()[:12]}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:  # torchrun started this process
        main(sys.argv[1:])
    else:  # plain `python`: a process per GPU, two on the CPU
        os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
        ranks = max(torch.cuda.device_count(), 2)
        options = f"--standalone --max-restarts=3 --nproc-per-node={ranks}"
        torchrun([*options.split(), __file__, *sys.argv[1:]])
# --8<-- [end:main]
