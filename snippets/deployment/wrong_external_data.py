"""The parser gets the model's bytes and looks for the weights in vain."""

import tempfile
from pathlib import Path

import numpy as np
import onnx

from build_engine import KIND, BuildLog, trt

SCALE = """<ir_version: 10, opset_import: ["": 20]>
scale (float[1, 3, 8, 8] image) => (float[1, 3, 8, 8] scaled) {
  scaled = Mul(image, weight)
}"""


def save_in_two_files(path: Path) -> None:
    """Write a model, and its weight beside it as path.data."""
    model = onnx.parser.parse_model(SCALE)
    ones = np.ones((1, 3, 8, 8), np.float32)
    weight = onnx.numpy_helper.from_array(ones, "weight")
    model.graph.initializer.append(weight)
    onnx.save(
        model,
        path,
        save_as_external_data=True,
        location=f"{path.name}.data",
        size_threshold=0,
    )


# --8<-- [start:main]
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "scale.onnx"
    save_in_two_files(path)
    log = BuildLog()
    builder = trt.Builder(log)
    network = builder.create_network(KIND)
    parser = trt.OnnxParser(network, log)
    print("parsed:", parser.parse(path.read_bytes()))
    print(*log.errors[:1], f"layers: {network.num_layers}", sep="\n")
# --8<-- [end:main]
