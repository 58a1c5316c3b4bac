"""Ask an engine which tensors are inputs, by name."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def inputs(engine):
    count = engine.num_io_tensors
    names = [engine.get_tensor_name(i) for i in range(count)]
    mode = trt.TensorIOMode.INPUT
    return [name for name in names if engine.get_tensor_mode(name) == mode]


def main():
    for name in ("num_io_tensors", "get_tensor_name", "get_tensor_mode"):
        print(name, hasattr(trt.ICudaEngine, name))


# --8<-- [end:main]


if __name__ == "__main__":
    main()
