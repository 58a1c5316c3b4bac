"""Export a small CNN to ONNX, batch and size left open, and prove parity.

pip install torch onnx onnxscript onnxruntime
"""

import numpy as np
import onnx
import onnxruntime
import torch
from onnx.reference import ReferenceEvaluator
from torch import nn


# --8<-- [start:model]
class SmallCNN(nn.Module):
    """Images (batch, 3, height, width) to scores (batch, 10)."""

    def __init__(self, seed: int = 0):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.body = nn.Sequential(
                nn.Conv2d(3, 8, 3, padding=1),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Conv2d(8, 16, 3, padding=1),
                nn.ReLU(),
            )
            self.head = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).mean((2, 3)))


# --8<-- [end:model]


def export_onnx(
    model: nn.Module,
    image: torch.Tensor,
    output: str = "scores",
    opset: int = 20,
) -> onnx.ModelProto:
    """Return a model of one image tensor as ONNX, its weights inside.

    image: an example, (batch, channels, height, width) float32; batch, height
    and width stay open. The input is named "image", the output `output`.
    Raises ValueError where the exporter gave another opset than asked for.
    """
    # --8<-- [start:call]
    program = torch.onnx.export(
        model.eval(),
        (image,),
        input_names=["image"],
        output_names=[output],
        # --8<-- [start:open]
        dynamic_shapes=({0: "batch", 2: "height", 3: "width"},),
        # --8<-- [end:open]
        opset_version=opset,
        verbose=False,
    )
    proto = program.model_proto
    onnx.checker.check_model(proto, full_check=True)
    # --8<-- [start:opset]
    got = {o.domain: o.version for o in proto.opset_import}[""]
    if got != opset:
        raise ValueError(f"asked for opset {opset}, got {got}")
    # --8<-- [end:opset]
    return proto
    # --8<-- [end:call]


# --8<-- [start:parity]
def run_onnxruntime(proto: onnx.ModelProto, image: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {session.get_inputs()[0].name: image})[0]


def run_reference(proto: onnx.ModelProto, image: np.ndarray) -> np.ndarray:
    """Run the operators' definitions in NumPy: slow, and independent."""
    name = proto.graph.input[0].name
    return ReferenceEvaluator(proto).run(None, {name: image})[0]


@torch.no_grad()
def largest_difference(model, proto, image: torch.Tensor, run) -> float:
    """Return max |torch - run|; NaN where either gave NaN."""
    want, got = model.eval()(image).numpy(), run(proto, image.numpy())
    if want.shape != got.shape:
        raise ValueError(f"expected shape {want.shape}, got {got.shape}")
    return float(np.abs(want - got).max())


# --8<-- [end:parity]


if __name__ == "__main__":
    # --8<-- [start:main]
    rng = torch.Generator().manual_seed(0)
    example = torch.randn(2, 3, 32, 32, generator=rng)
    model = SmallCNN()
    proto = export_onnx(model, example)
    dims = proto.graph.input[0].type.tensor_type.shape.dim
    print("image:", [d.dim_param or d.dim_value for d in dims])

    for shape in (2, 3, 32, 32), (1, 3, 48, 40), (5, 3, 17, 33):
        image = torch.randn(shape, generator=rng)
        for run in run_onnxruntime, run_reference:
            gap = largest_difference(model, proto, image, run)
            print(shape, run.__name__, "< 1e-6:", gap < 1e-6)
    # --8<-- [end:main]
