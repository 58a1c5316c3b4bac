"""Limit the workspace, since TensorRT 8.4."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    config = builder.create_builder_config()
    pool = trt.MemoryPoolType.WORKSPACE
    config.set_memory_pool_limit(pool, 1 << 30)
    print("workspace:", config.get_memory_pool_limit(pool), "bytes")


# --8<-- [end:main]


if __name__ == "__main__":
    main()
