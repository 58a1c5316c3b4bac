"""Batch norm layers replaced by one that works on the CPU as well."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from launch import device, launch, print_in_turn
from sync_batch_norm import SyncBatchNorm


# --8<-- [start:main]
def convert(module, group=None):
    """Replace each batch norm in a model; parameters and buffers stay."""
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
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
        return new.train(module.training)
    for name, child in module.named_children():
        setattr(module, name, convert(child, group))
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
