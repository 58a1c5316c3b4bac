"""DataParallel: one process, a thread for each GPU."""

import os

import torch
from torch import nn
from torch.optim import Adam

from small_model import make_batch, make_model, train


# --8<-- [start:dp]
def with_data_parallel(model):
    model = nn.DataParallel(model)
    return model, Adam(model.parameters(), lr=0.003)


# --8<-- [end:dp]


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    gpu = "cuda" if torch.cuda.is_available() else "cpu"
    parts = with_data_parallel(make_model().to(gpu))
    print(f"replicas on {len(parts[0].device_ids)} GPUs")
    for number in train(*parts, *(t.to(gpu) for t in make_batch())):
        print(f"loss {number:.4f}")
