"""The settings that TensorRT accepts: signed, symmetric, bias in float."""

from onnxruntime.quantization import QuantType

from build_or_why import build_or_why
from qdq_int8 import BATCHES, TINY, quantise


# --8<-- [start:main]
def main():
    settings = {"ActivationSymmetric": True, "QuantizeBias": False}
    signed = QuantType.QInt8
    proto = quantise(TINY, BATCHES, settings, signed)
    print(f"signed, symmetric, bias in float: {build_or_why(proto)}")


# --8<-- [end:main]

if __name__ == "__main__":
    main()
