"""DDP: every rank has the whole model and a share of the batch."""

from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim import Adam

from launch import launch
from measure_step import show


# --8<-- [start:ddp]
def with_ddp(model):
    model = DDP(model, gradient_as_bucket_view=True)
    return model, Adam(model.parameters(), lr=0.003)


# --8<-- [end:ddp]


if __name__ == "__main__":
    launch(show, 2, with_ddp)
