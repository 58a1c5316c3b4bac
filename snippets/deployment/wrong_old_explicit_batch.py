"""Create a network with the flag of TensorRT 8."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    flag = trt.NetworkDefinitionCreationFlag
    return builder.create_network(1 << int(flag.EXPLICIT_BATCH))


# --8<-- [end:main]


if __name__ == "__main__":
    main()
