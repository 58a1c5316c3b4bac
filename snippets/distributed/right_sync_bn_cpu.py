"""Batch norm layers replaced by one that works on the CPU as well."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn
from sync_batch_norm import SyncBatchNorm


# --8<-- [start:main]
def convert(module, group=None, done=None):
    """Replace each batch norm in a model; parameters and buffers stay."""
    done = {} if done is None else done  # a layer may be used twice
    if module in done:
        return done[module]
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        if not module.track_running_stats:
            raise ValueError("expected track_running_stats=True")
        new = SyncBatchNorm(
            module.num_features,
            module.eps,
            module.momentum,
            module.affine,
            group,
        )
        new.weight, new.bias = module.weight, module.bias
        for name, buffer in module.named_buffers():
            setattr(new, name, buffer)
        done[module] = new.train(module.training)
        return new
    for name, child in module._modules.items():
        if child is not None:
            setattr(module, name, convert(child, group, done))
    return module


def train(rank):
    torch.manual_seed(rank)  # other data on each rank
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    ddp = DDP(convert(model).to(device()), forward_sync_buffers=False)
    ddp(torch.randn(8, 3).to(device())).square().sum().backward()
    print_in_turn(f"rank {rank}: {model[1].running_mean[0]:.6f}")


# --8<-- [end:main]


if __name__ == "__main__":
    launch(train)
