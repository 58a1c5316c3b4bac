"""One model in FP32, FP16 and INT8: its error, its weights, its types.

pip install torch onnx onnxscript onnxruntime onnxconverter-common tensorrt-rtx
"""

import copy
from collections import Counter

import numpy as np
import onnx
import torch
from onnx.reference import ReferenceEvaluator
from onnxconverter_common import float16
from torch import nn

from build_engine import KIND, BuildLog, trt
from build_or_why import build_or_why
from export_onnx import export_onnx
from qdq_int8 import quantise

SIZES = {"image": ((1, 3, 32, 32), (8, 3, 32, 32), (32, 3, 32, 32))}


def make_model(seed: int = 4) -> nn.Module:
    """Images (batch, 3, height, width) to scores (batch, 10)."""
    layers, width = [], 3
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for wider in (32, 64, 128):
            conv = nn.Conv2d(width, wider, 3, stride=2, padding=1)
            nn.init.kaiming_normal_(conv.weight)
            layers, width = [*layers, conv, nn.ReLU()], wider
        pool = nn.AdaptiveAvgPool2d(1)
        layers += [pool, nn.Flatten(), nn.Linear(width, 10)]
    return nn.Sequential(*layers).eval()


# --8<-- [start:variants]
def variants(model, images) -> dict[str, onnx.ModelProto]:
    """Return the model as ONNX in three precisions.

    images: (batch, 3, height, width) float32; INT8 takes its ranges from them.
    """
    fp32 = export_onnx(model, images[:2])
    fp16 = float16.convert_float_to_float16(
        copy.deepcopy(fp32), keep_io_types=True
    )
    int8 = quantise(fp32, [batch.numpy() for batch in images.split(8)])
    return {"FP32": fp32, "FP16": fp16, "INT8": int8}


# --8<-- [end:variants]


# --8<-- [start:measure]
@torch.no_grad()
def relative_error(proto, model, images) -> float:
    """Return ||y - torch|| / ||torch||, y by the operators' definitions."""
    want = model(images).numpy()
    got = ReferenceEvaluator(proto).run(None, {"image": images.numpy()})[0]
    return float(np.linalg.norm(got - want) / np.linalg.norm(want))


def weight_bytes(proto) -> int:
    arrays = map(onnx.numpy_helper.to_array, proto.graph.initializer)
    return sum(array.nbytes for array in arrays)


def parsed_types(proto) -> Counter:
    """Return how many layers, constants aside, give which type."""
    log = BuildLog()
    builder = trt.Builder(log)
    network = builder.create_network(KIND)
    parser = trt.OnnxParser(network, log)
    if not parser.parse(proto.SerializeToString()):
        raise RuntimeError("\n".join(log.errors))
    layers = [network.get_layer(i) for i in range(network.num_layers)]
    return Counter(
        layer.get_output(0).dtype.name
        for layer in layers
        if layer.type != trt.LayerType.CONSTANT
    )


# --8<-- [end:measure]

if __name__ == "__main__":
    # --8<-- [start:main]
    rng = torch.Generator().manual_seed(5)
    calibration = torch.randn(32, 3, 32, 32, generator=rng)
    unseen = torch.randn(8, 3, 32, 32, generator=rng)
    model = make_model()
    for name, proto in variants(model, calibration).items():
        error = relative_error(proto, model, unseen)
        print(
            f"{name}: {round(weight_bytes(proto) / 1000)} kB, error", end=" "
        )
        print("< 1e-06" if error < 1e-6 else f"{error:.0e}", end=", ")
        print(build_or_why(proto, [SIZES]), dict(parsed_types(proto)))
    # --8<-- [end:main]
