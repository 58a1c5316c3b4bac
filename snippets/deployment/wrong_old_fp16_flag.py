"""Ask for FP16 with a flag, as up to TensorRT 10."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.FP16)


# --8<-- [end:main]


if __name__ == "__main__":
    main()
