"""Run an engine with two inputs and two outputs of different types."""

import onnx
import onnx.parser
import tensorrt_rtx as trt
import torch

from cpu_engine import CpuEngine
from load_engine import load_engine
from trt_module import TRTModule

MODEL = onnx.parser.parse_model("""
<ir_version: 10, opset_import: ["": 17]>
frame_diff (float[3, H, W] before, float[3, H, W] after)
        => (float[3, H, W] change, bool[3, H, W] moved) {
    limit = Constant<value_float = 0.5>()
    change = Sub(after, before)
    size = Abs(change)
    moved = Greater(size, limit)
}""")
SIZES = ((3, 1, 1), (3, 48, 64), (3, 96, 128))  # min, opt, max
PROFILE = {"before": SIZES, "after": SIZES}


def build(model: onnx.ModelProto, profile: dict) -> bytes:
    """Return the plan of a model whose dynamic inputs are in `profile`."""
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, builder.logger)
    if not parser.parse(model.SerializeToString()):
        raise ValueError(parser.get_error(0).desc())
    config = builder.create_builder_config()
    ranges = builder.create_optimization_profile()
    for name, sizes in profile.items():
        ranges.set_shape(name, *sizes)
    config.add_optimization_profile(ranges)
    return bytes(builder.build_serialized_network(network, config))


# --8<-- [start:engine]
def make_engine(device: str):
    """Return TensorRT's engine, or on the CPU a stand-in for it."""
    if device == "cuda":
        return load_engine(build(MODEL, PROFILE))
    return CpuEngine(MODEL, PROFILE)


def frames(device: str) -> list[torch.Tensor]:
    """Two frames, all 1 and all 8: (height, width, 3), as a camera gives."""
    return [torch.full((48, 64, 3), v, device=device) for v in (1.0, 8.0)]


# --8<-- [end:engine]


# --8<-- [start:main]
def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = TRTModule(make_engine(device), device)
    before, after = [f.permute(2, 0, 1) for f in frames(device)]
    change, moved = model(before, after)
    print("contiguous:", before.is_contiguous(), after.is_contiguous())
    print("change:", tuple(change.shape), change.dtype, change.unique())
    print("moved: ", tuple(moved.shape), moved.dtype, moved.unique())
    try:
        model(before[:, :, :1], before.new_zeros(3, 97, 64))
    except ValueError as error:
        print("refused:", error)


# --8<-- [end:main]

if __name__ == "__main__":
    main()
