"""Old lines that fail though their name stays, and who shares an answer.

In the tables `dtype=` is the setter of the property dtype.
"""

# Signatures of 11 that want one more argument, read off the five bindings.
CHANGED = {
    ("INetworkDefinition", "add_quantize(x, scale)"): "xxx..",
    ("INetworkDefinition", "add_dequantize(x, scale)"): "xxx..",
}
# Of TensorRT 7; 8.6.1's bindings have none of them.
OLDER = {
    ("Builder", name): "....."
    for name in (
        "max_workspace_size",
        "fp16_mode",
        "int8_mode",
        "strict_type_constraints",
        "build_cuda_engine",
    )
}
# As in trt_advice: old name, old line, new line.
MORE = """\
IExecutionContext.active_optimization_profile=
context.active_optimization_profile = 0
context.set_optimization_profile_async(0, stream)
ITensor.dtype=
tensor.dtype = trt.float16
tensor = network.add_cast(tensor, trt.float16).get_output(0)
INetworkDefinition.add_quantize(x, scale)
network.add_quantize(x, scale)
network.add_quantize(x, scale, trt.int8)
"""
# A name: the row whose new line serves for it, too; or the line itself.
INT8 = ("BuilderFlag", "INT8")
ALSO = {
    "max_workspace_size": ("IBuilderConfig", "max_workspace_size"),
    "fp16_mode": ("BuilderFlag", "FP16"),
    "int8_mode": INT8,
    "build_cuda_engine": ("Builder", "build_engine"),
    "set_calibration_profile": INT8,
    "get_calibration_profile": INT8,
    "strict_type_constraints": "",
    "STRICT_TYPES": "",
    "set_shape_input": "context.set_tensor_address(name, host_pointer)",
    "supports_model": "parser.supports_model_v2(model)",
    "add_dequantize(x, scale)": (
        "network.add_dequantize(x, scale, trt.float32)"
    ),
}
ALSO |= {
    f"IInt8{kind.replace('2', '')}Calibrator{'2' * ('2' in kind)}": INT8
    for kind in ("", "Entropy", "Entropy2", "Legacy", "MinMax")
}
