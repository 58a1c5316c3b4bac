"""Find TensorRT names in C++ source, by name: no compiler is needed.

Which version has a method is read off its Python counterpart, whose binding
calls it: in 8.6 build_engine and since 10.6 build_engine_with_config call
buildEngineWithConfig. `destroy` is not in Python but in NVIDIA's lists.
"""

import re

from trt_names import MARKS, Finding

# Old name, marks or the Python counterpart, the new code.
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
setInt8Calibrator|IBuilderConfig.int8_calibrator|addQuantize(...)
platformHasFastFp16|Builder.platform_has_fast_fp16|
setDynamicRange|ITensor.set_dynamic_range|addQuantize(...)
kEXPLICIT_BATCH|NetworkDefinitionCreationFlag.EXPLICIT_BATCH|\
createNetworkV2(0)
BuilderFlag::kFP16|BuilderFlag.FP16|addCast(x, DataType::kHALF)
BuilderFlag::kINT8|BuilderFlag.INT8|addQuantize(...)
enqueue|IExecutionContext.execute_async|enqueueV3(stream)
execute|IExecutionContext.execute|executeV2(bindings)
destroy|x....|std::unique_ptr
"""
COMMON = ("enqueue", "execute", "destroy")  # on TensorRT objects only
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
OBJECT = re.compile(  # IBuilder* builder; auto engine = ...->buildEngine...
    r"\bI[A-Z]\w+\s*>?\s*[*&]\s*(?:const\s+)?(\w+)"
    r"|\bI[A-Z]\w+>+\s+(\w+)"
    r"|(\w+)\s*=[^;=]*\b(?:create(?:Infer|Network|Builder|Exec|Parser)"
    r"|buildEngine|deserializeCuda)"
)


def rows() -> list[tuple[str, str, str]]:
    """Return (old name, marks, new code)."""
    found = []
    for row in CPP.strip().split("\n"):
        old, key, new = row.split("|")
        owner, _, name = key.partition(".")
        found.append((old, MARKS.get((owner, name), key), new))
    return found


# --8<-- [start:check]
def check_cpp(source: str) -> list[Finding]:
    """Return the names in a file that some TensorRT lacks, line by line."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    code = NOISE.sub(blank, source)
    ours = {name for match in OBJECT.findall(code) for name in match}
    found = []
    for old, marks, new in rows():
        call = rf"(\w*)\s*(?:->|\.|::)\s*{old}\b"
        pattern = rf"(\b){old}\b" if "::" in old else call
        for match in re.finditer(pattern, code):
            if old in COMMON and match[1] not in ours:
                continue
            line = code.count("\n", 0, match.end()) + 1
            found.append(Finding(line, "", old, marks, new))
    three = r"deserializeCudaEngine\s*\([^,;]*,[^,;]*,"
    for match in re.finditer(three, code):
        line = code.count("\n", 0, match.start()) + 1
        new = "deserializeCudaEngine(data, size)"
        name = "deserializeCudaEngine with 3 arguments"
        found.append(Finding(line, "", name, "x....", new))
    return sorted(found)


# --8<-- [end:check]
