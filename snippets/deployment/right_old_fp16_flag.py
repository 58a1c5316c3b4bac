"""Get FP16 from the model itself: a float32 ONNX model, converted."""

# --8<-- [start:main]
import onnx
import tensorrt_rtx as trt  # pip install tensorrt_rtx onnxconverter-common
from onnx import TensorProto, helper
from onnxconverter_common.float16 import convert_float_to_float16


def main():
    model = convert_float_to_float16(small_model(), keep_io_types=True)
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, builder.logger)
    assert parser.parse(model.SerializeToString())
    for layer in network:
        print(layer.name, layer.get_output(0).dtype)
    config = builder.create_builder_config()
    plan = builder.build_serialized_network(network, config)
    print("built:", plan is not None)


# --8<-- [end:main]


def small_model() -> onnx.ModelProto:
    """Return y = relu(x @ w) in float32; x is (1, 4)."""
    weights = [0.5] * 8
    return helper.make_model(
        helper.make_graph(
            [
                helper.make_node("MatMul", ["x", "w"], ["h"]),
                helper.make_node("Relu", ["h"], ["y"]),
            ],
            "small",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
            [helper.make_tensor("w", TensorProto.FLOAT, [4, 2], weights)],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )


if __name__ == "__main__":
    main()
