"""Ask for the (min, opt, max) shapes of a tensor: name first, then index."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def profile_shapes(engine):
    return engine.get_tensor_profile_shape("x", 0)


# --8<-- [end:main]


if __name__ == "__main__":
    signature = trt.ICudaEngine.get_tensor_profile_shape.__doc__
    print(signature[signature.index("name") :].partition(",")[0])
    print(signature[signature.index("profile_index") :].partition(":")[0])
