"""Run an engine with two inputs and two outputs of different types."""

import tempfile
from pathlib import Path

import onnx
import onnx.parser
import torch

from build_engine import build_from_onnx
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


# --8<-- [start:engine]
def make_engine(device: str):
    """Return TensorRT's engine, or on the CPU a stand-in for it."""
    if device == "cpu":
        return CpuEngine(MODEL, PROFILE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "frame_diff.onnx")
        onnx.save(MODEL, path)
        return load_engine(build_from_onnx(path, [PROFILE]))


def frames(device: str) -> list[torch.Tensor]:
    """Two frames, all 1 and all 8: (height, width, 3), as a camera gives."""
    return [torch.full((48, 64, 3), v, device=device) for v in (1.0, 8.0)]


# --8<-- [end:engine]


# --8<-- [start:main]
def compare_frames():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = TRTModule(make_engine(device), device)
    before, after = [f.permute(2, 0, 1) for f in frames(device)]
    change, moved = model(before, after)
    print("contiguous:", before.is_contiguous(), after.is_contiguous())
    print("change:", tuple(change.shape), change.dtype, end=" ")
    print(float(change.min()), "to", float(change.max()))
    print("moved: ", tuple(moved.shape), moved.dtype, bool(moved.all()))
    try:
        model(before[:, :, :1], before.new_zeros(3, 97, 64))
    except ValueError as error:
        print("refused:", error)


# --8<-- [end:main]

if __name__ == "__main__":
    compare_frames()
