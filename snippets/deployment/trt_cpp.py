"""Find TensorRT names in C++ source, by name: no compiler is needed.

Which version has a method is read off its Python counterpart, whose binding
calls it: in 8.6 build_engine and since 10.6 build_engine_with_config call
buildEngineWithConfig. `destroy` is not in Python but in NVIDIA's lists.
"""

import re

from trt_cpp_names import derived, objects
from trt_names import MARKS, Finding

# Old name, marks or the Python counterpart, the new code or {{zh|en}}.
CPP = """
setMaxWorkspaceSize|IBuilderConfig.max_workspace_size|\
setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, n)
setMaxBatchSize|Builder.max_batch_size|
buildEngineWithConfig|x.xxx|buildSerializedNetwork(*network, *config)
getNbBindings|ICudaEngine.num_bindings|getNbIOTensors()
getBindingIndex|ICudaEngine.get_binding_index|\
setTensorAddress(name, pointer)
getBindingName|ICudaEngine.get_binding_name|getIOTensorName(i)
getBindingDimensions|ICudaEngine.get_binding_shape|getTensorShape(name)
getBindingDataType|ICudaEngine.get_binding_dtype|getTensorDataType(name)
bindingIsInput|ICudaEngine.binding_is_input|\
getTensorIOMode(name) == TensorIOMode::kINPUT
getProfileDimensions|ICudaEngine.get_profile_shape|\
getProfileShape(name, 0, OptProfileSelector::kOPT)
setBindingDimensions|IExecutionContext.set_binding_shape|\
setInputShape(name, dims)
enqueueV2|IExecutionContext.execute_async_v2|enqueueV3(stream)
addPooling|INetworkDefinition.add_pooling|addPoolingNd(...)
addConvolution|INetworkDefinition.add_convolution|addConvolutionNd(...)
addFullyConnected|INetworkDefinition.add_fully_connected|\
addMatrixMultiply(...)
setInt8Calibrator|IBuilderConfig.int8_calibrator|\
{{往 ONNX 模型里放 Q/DQ 节点|put Q/DQ nodes into the ONNX model}}
platformHasFastFp16|Builder.platform_has_fast_fp16|
setDynamicRange|ITensor.set_dynamic_range|\
{{往 ONNX 模型里放 Q/DQ 节点|put Q/DQ nodes into the ONNX model}}
kEXPLICIT_BATCH|NetworkDefinitionCreationFlag.EXPLICIT_BATCH|\
createNetworkV2(0)
BuilderFlag::kFP16|BuilderFlag.FP16|\
{{把 ONNX 模型转换成 FP16|convert the ONNX model to FP16}}
BuilderFlag::kINT8|BuilderFlag.INT8|\
{{往 ONNX 模型里放 Q/DQ 节点|put Q/DQ nodes into the ONNX model}}
setOptimizationProfile|IExecutionContext.active_optimization_profile=|\
setOptimizationProfileAsync(0, stream)
setType|ITensor.dtype=|addCast(tensor, type)
enqueue|IExecutionContext.execute_async|enqueueV3(stream)
execute|IExecutionContext.execute|executeV2(bindings)
destroy|x....|std::unique_ptr
"""
WRONG_CALLS = (  # pattern, name, marks, new code
    (
        r"deserializeCudaEngine\s*\([^,;]*,[^,;]*,",
        "deserializeCudaEngine with 3 arguments",
        "x....",
        "deserializeCudaEngine(data, size)",
    ),
    (
        r"getOutput\s*\([^()]*\)\s*->\s*setType\b",
        "setType",
        MARKS["ITensor", "dtype="],
        "addCast(tensor, type)",
    ),
    (
        r"createNetworkV2\s*\(\s*0U?\s*\)",
        "createNetworkV2(0) for an explicit batch",
        ".xxxx",
        "createNetworkV2(1U << int(NetworkDefinitionCreationFlag::"
        "kEXPLICIT_BATCH))",
    ),
)
# On TensorRT objects only.
COMMON = ("enqueue", "execute", "destroy", "setType")
IN_ENGLISH = re.compile(r"\{\{.*\|(.*)\}\}")
MENTIONS = re.compile(r"\bNv(?:Infer|OnnxParser)|\bnvinfer1\b")
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def rows() -> list[tuple[str, str, str]]:
    """Return (old name, marks, new code)."""
    found = []
    for row in CPP.strip().split("\n"):
        old, key, new = row.split("|", 2)
        owner, _, name = key.partition(".")
        found.append((old, MARKS.get((owner, name), key), new))
    return found


def check_cpp(source: str) -> list[Finding]:
    """Return the names in a file that some TensorRT lacks, line by line."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    code, found = NOISE.sub(blank, source), {}
    ours = objects(code)

    def add(at: int, name: str, marks: str, new: str | None) -> None:
        line = code.count("\n", 0, at) + 1
        key = line, name.split(":")[-1]
        found.setdefault(key, Finding(line, "", name, marks, new))

    for old, marks, new in rows():
        call = rf"(\w*)\s*(?:->|\.|::)\s*{old}\b"
        pattern = rf"(\b){old}\b" if "::" in old else call
        for match in re.finditer(pattern, code):
            if old not in COMMON or match[1] in ours:
                add(match.end(), old, marks, IN_ENGLISH.sub(r"\1", new))
    for pattern, *rest in WRONG_CALLS:
        for match in re.finditer(pattern, code):
            add(match.start(), *rest)
    if MENTIONS.search(source):
        for at, name, marks in derived(code, ours):
            add(at, name, marks, None)
    return [found[key] for key in sorted(found)]
