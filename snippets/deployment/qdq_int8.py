"""Quantise an ONNX model to INT8 with the settings that TensorRT accepts.

pip install onnx onnxruntime
"""

import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

# --8<-- [start:quantise]
TENSORRT = {"ActivationSymmetric": True, "QuantizeBias": False}


class Batches(CalibrationDataReader):
    def __init__(self, name, batches):
        self.feeds = iter([{name: batch} for batch in batches])

    def get_next(self):
        return next(self.feeds, None)


def quantise(
    proto, batches, settings=TENSORRT, activations=QuantType.QInt8, **more
):
    """Return `proto` with Q/DQ nodes, its ranges taken from `batches`.

    batches: arrays for the only input, like what it will see in use. more:
    further arguments of quantize_static, such as per_channel. The model
    itself is left as it is: quantize_static would move its weights to a
    file, so it gets a copy on disk.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "in.onnx"), Path(folder, "out.onnx")
        onnx.save(proto, source)
        quantize_static(
            source,
            result,
            Batches(proto.graph.input[0].name, batches),
            quant_format=QuantFormat.QDQ,
            activation_type=activations,
            weight_type=QuantType.QInt8,
            extra_options=settings,
            **more,
        )
        return onnx.load(result)


# --8<-- [end:quantise]

TINY = onnx.parser.parse_model("""
<ir_version: 10, opset_import: ["": 20]>
tiny (float[1, 2] x) => (float[1, 2] y) <
    float[2, 2] w = {1, 0.5, -0.25, 0.125}, float[2] b = {1, -1}
> {
    [gemm] y = Gemm(x, w, b)
}""")
BATCHES = [np.float32([[-1, 2]]), np.float32([[0.5, 0]])]


if __name__ == "__main__":
    # --8<-- [start:main]
    int8 = quantise(TINY, BATCHES)
    stored = {
        i.name: onnx.numpy_helper.to_array(i) for i in int8.graph.initializer
    }
    print("x: the scale is", f"{stored['x_scale']:.5f}", "= 2 / 127")
    print("w: the scale is", f"{stored['w_scale']:.5f}", "= 1 / 127")
    print("w as stored:", stored["w_quantized"].tolist())
    print("b as stored:", stored["b"].tolist())
    for node in int8.graph.node:
        print(*node.input, "->", node.op_type)
    # --8<-- [end:main]
