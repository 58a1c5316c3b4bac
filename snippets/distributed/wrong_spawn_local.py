"""The function that spawn should run is defined inside another."""

import torch.multiprocessing as mp


# --8<-- [start:main]
def main():
    settings = {"lr": 0.1}

    def train(rank):
        print(f"rank {rank}: lr {settings['lr']}")

    mp.spawn(train, nprocs=2)


if __name__ == "__main__":
    main()
# --8<-- [end:main]
