"""Train a small classifier in one process."""

import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

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
    model = make_model().to(device)
    dataset = make_dataset()
    sampler = RandomSampler(dataset, generator=torch.Generator())
    loader = DataLoader(dataset, BATCH, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(EPOCHS):
        sampler.generator.manual_seed(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = loss_fn(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        print(f"epoch {epoch}: loss {total / len(loader):.4f}")
    return model


# --8<-- [end:train]


# --8<-- [start:main]
if __name__ == "__main__":
    train("cuda" if torch.cuda.is_available() else "cpu")
# --8<-- [end:main]
