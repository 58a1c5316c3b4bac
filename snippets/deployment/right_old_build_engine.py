"""Build a serialised plan; it is None where the build failed."""

import tensorrt_rtx as trt  # pip install tensorrt_rtx


# --8<-- [start:main]
def main():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 3, 8, 8))
    pool = network.add_pooling_nd(x, trt.PoolingType.MAX, (2, 2))
    pool.stride_nd = (2, 2)
    network.mark_output(pool.get_output(0))
    config = builder.create_builder_config()
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise RuntimeError("no plan: the log says why")
    print("output", pool.get_output(0).shape, "plan:", plan.nbytes > 0)


# --8<-- [end:main]


if __name__ == "__main__":
    main()
