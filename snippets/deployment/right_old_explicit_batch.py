"""Create a network: the batch is always an explicit dimension."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (-1, 3, 8, 8))
    print("shape", x.shape)


# --8<-- [end:main]


if __name__ == "__main__":
    main()
