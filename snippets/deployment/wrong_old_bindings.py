"""Ask an engine which bindings are inputs, as in TensorRT 8."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def inputs(engine, count):
    return [i for i in range(count) if engine.binding_is_input(i)]


def main():
    # Loading an engine needs a GPU; an empty one has the same attributes.
    engine = trt.ICudaEngine.__new__(trt.ICudaEngine)
    print(inputs(engine, 2))


# --8<-- [end:main]


if __name__ == "__main__":
    main()
