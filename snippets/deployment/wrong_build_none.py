"""The build fails, returns None, and the script stumbles over that."""

import tempfile

from build_engine import KIND, trt

# --8<-- [start:main]
builder = trt.Builder(trt.Logger(trt.Logger.INTERNAL_ERROR))
network = builder.create_network(KIND)
image = network.add_input("image", trt.float32, (-1, 3, -1, -1))
pool = network.add_pooling_nd(image, trt.PoolingType.MAX, (2, 2))
network.mark_output(pool.get_output(0))

config = builder.create_builder_config()
plan = builder.build_serialized_network(network, config)
with tempfile.TemporaryFile() as file:
    file.write(plan)
# --8<-- [end:main]
