"""Build a TensorRT plan, layer by layer or from ONNX; no GPU is needed.

Takes TensorRT where it is installed, else: pip install tensorrt-rtx onnx
"""

import tempfile
from importlib import import_module, util
from pathlib import Path

import onnx

FULL = util.find_spec("tensorrt") is not None
trt = import_module("tensorrt" if FULL else "tensorrt_rtx")

# --8<-- [start:kind]
# 8.6 knows no strong types; from 10 on every batch is explicit.
FLAGS = trt.NetworkDefinitionCreationFlag.__members__
NAME = "STRONGLY_TYPED" if "STRONGLY_TYPED" in FLAGS else "EXPLICIT_BATCH"
KIND = 1 << int(FLAGS[NAME])


# --8<-- [end:kind]
# --8<-- [start:log]
class BuildLog(trt.ILogger):
    """Keeps TensorRT's errors, the only place where it says why."""

    def __init__(self):
        super().__init__()
        self.errors: list[str] = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(message)


# --8<-- [end:log]
# --8<-- [start:build]
def build_plan(builder, network, log, profiles=(), workspace=None) -> bytes:
    """Return the network's plan; where it is None, raise with the log.

    profiles: one dict each, input name -> (MIN, OPT, MAX) shapes; none for a
    network whose shapes are all fixed. workspace: the most bytes that a layer
    may borrow; None leaves TensorRT's own limit.
    Raises ValueError where a profile is at fault, else RuntimeError.
    """
    config = builder.create_builder_config()
    if workspace is not None:
        config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, workspace)
    for shapes in profiles:
        profile = builder.create_optimization_profile()
        for name, (low, usual, high) in shapes.items():
            profile.set_shape(name, low, usual, high)
        if config.add_optimization_profile(profile) < 0:
            raise ValueError("\n".join(log.errors))
    # --8<-- [start:none]
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise RuntimeError("\n".join(log.errors))
    # --8<-- [end:none]
    return bytes(plan)


# --8<-- [end:build]
# --8<-- [start:layers]
def add_pool_network(network, shape, window=2, stride=2):
    """Add image (batch, channels, height, width) -> max-pooled `pooled`."""
    image = network.add_input("image", trt.float32, shape)
    pool = network.add_pooling_nd(image, trt.PoolingType.MAX, (window,) * 2)
    pool.stride_nd = (stride,) * 2
    pool.get_output(0).name = "pooled"
    network.mark_output(pool.get_output(0))
    return pool.get_output(0)


def build_pool_network(
    shape=(1, 3, 32, 32), profiles=(), workspace=None
) -> bytes:
    """Return the plan of max pooling added by hand; -1 is a dynamic axis."""
    log = BuildLog()
    builder = trt.Builder(log)
    network = builder.create_network(KIND)
    add_pool_network(network, shape)
    return build_plan(builder, network, log, profiles, workspace)


# --8<-- [end:layers]
# --8<-- [start:parser]
def build_from_onnx(path, profiles=(), workspace=None) -> bytes:
    """Return the plan of an ONNX file, external data beside it included."""
    log = BuildLog()
    builder = trt.Builder(log)
    network = builder.create_network(KIND)
    parser = trt.OnnxParser(network, log)
    if not parser.parse_from_file(str(path)) or not network.num_outputs:
        raise RuntimeError("\n".join(log.errors) or f"no network in {path}")
    return build_plan(builder, network, log, profiles, workspace)


# --8<-- [end:parser]
# --8<-- [start:main]
POOL = """<ir_version: 10, opset_import: ["": 20]>
pool (float[batch, 3, height, width] image) => (float[batch, 3, h, w] pooled) {
  pooled = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(image)
}"""
PROFILE = {"image": ((1, 3, 32, 32), (8, 3, 64, 64), (32, 3, 128, 128))}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.onnx"
        onnx.save(onnx.parser.parse_model(POOL), path)
        plans = {
            "fixed shape": build_pool_network(),
            "dynamic shape": build_pool_network((-1, 3, -1, -1), [PROFILE]),
            "from ONNX": build_from_onnx(path, [PROFILE]),
        }
        for name, plan in plans.items():
            Path(folder, "pool.engine").write_bytes(plan)
            print(f"{name}: {plan[:4]}, {trt.__name__} {trt.__version__}")
# --8<-- [end:main]
