"""Convert a norm to FP16: the square of 300 is more than 65504."""

import copy

import numpy as np
import onnx
import onnx.parser
import onnxruntime
from onnx.reference import ReferenceEvaluator
from onnxconverter_common import float16

MODEL = onnx.parser.parse_model("""
<ir_version: 10, opset_import: ["": 20]>
unit (float[N] x) => (float[N] y) {
    [square] squared = Mul(x, x)
    [add] total = ReduceSum(squared)
    [root] length = Sqrt(total)
    [divide] y = Div(x, length)
}""")


# --8<-- [start:convert]
def convert(model):
    return float16.convert_float_to_float16(
        copy.deepcopy(model), keep_io_types=True
    )


# --8<-- [end:convert]


# --8<-- [start:main]
def main():
    proto = convert(MODEL)
    feed = {"x": np.float32([300, 400])}
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    exact = ReferenceEvaluator(proto)
    print("onnxruntime:", session.run(None, feed)[0].round(3))
    print("in FP16:    ", exact.run(None, feed)[0].round(3))


# --8<-- [end:main]

if __name__ == "__main__":
    main()
