"""Rename get_profile_shape and keep the order of its arguments."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def profile_shapes(engine):
    return engine.get_tensor_profile_shape(0, "x")


# --8<-- [end:main]


if __name__ == "__main__":
    # To load an engine needs a GPU; an empty one checks arguments as well.
    profile_shapes(trt.ICudaEngine.__new__(trt.ICudaEngine))
