"""Create a network with the flag of TensorRT 8."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    flag = trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH
    return builder.create_network(1 << int(flag))


# --8<-- [end:main]


if __name__ == "__main__":
    main()
