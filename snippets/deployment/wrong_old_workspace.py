"""Limit the workspace, as in TensorRT 8."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    config = builder.create_builder_config()
    config.max_workspace_size = 1 << 30


# --8<-- [end:main]


if __name__ == "__main__":
    main()
