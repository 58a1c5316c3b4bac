"""Three ways to quantise that onnxruntime runs and TensorRT refuses."""

from onnxruntime.quantization import QuantType

from build_or_why import build_or_why
from qdq_int8 import BATCHES, TINY, quantise


# --8<-- [start:main]
def main():
    symmetric = {"ActivationSymmetric": True}
    float_bias = {"QuantizeBias": False}
    unsigned = QuantType.QUInt8
    for name, proto in {
        "defaults": quantise(TINY, BATCHES, {}),
        "bias in float": quantise(TINY, BATCHES, float_bias),
        "unsigned": quantise(TINY, BATCHES, symmetric | float_bias, unsigned),
    }.items():
        print(f"{name}: {build_or_why(proto)}")


# --8<-- [end:main]

if __name__ == "__main__":
    main()
