"""DDP whose optimizer state is split over the ranks."""

from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim import Adam

from launch import launch
from measure_step import show


# --8<-- [start:zero]
def with_zero(model):
    model = DDP(model, gradient_as_bucket_view=True)
    params = model.parameters()
    return model, ZeroRedundancyOptimizer(params, Adam, lr=0.003)


# --8<-- [end:zero]


if __name__ == "__main__":
    launch(show, 2, with_zero)
