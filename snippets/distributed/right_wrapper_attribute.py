"""The model's attributes are on `.module`; the forward stays the wrapper's."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, img_size=224):
        super().__init__()
        self.img_size = img_size
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(x)


# --8<-- [start:main]
def main():
    net = nn.DataParallel(Classifier())
    print(net(torch.ones(3, 4)).shape)
    print(net.module.img_size)


# --8<-- [end:main]


if __name__ == "__main__":
    main()
