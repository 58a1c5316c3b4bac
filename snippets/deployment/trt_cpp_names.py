"""Spell the names that Python lost as C++ does, and know TensorRT's objects.

get_binding_format is getBindingFormat, precision getPrecision or
setPrecision, BuilderFlag.BF16 is BuilderFlag::kBF16. Nothing is compiled.
"""

import re
from collections.abc import Iterator

from trt_names import MARKS
from trt_python import ORDINARY

ONLY_CPP = {  # spelled otherwise in Python, or not there
    "allInputShapesSpecified": "xxx..",
    "createUffParser": "x....",
    "createCaffeParser": "x....",
    "buildCudaEngine": ".....",  # of TensorRT 7
}
STILL_CPP = {"get_profile_shape", "get_shape", "get_strides", "build_engine"}
OURS = (
    r"(I(?:Builder|BuilderConfig|Runtime|HostMemory|NetworkDefinition|Parser"
    r"|CudaEngine|ExecutionContext|OptimizationProfile|Refitter|Tensor"
    r"|TimingCache|UffParser|CaffeParser|\w*Layer))"
)
DECLARED = re.compile(  # IBuilder* builder; unique_ptr<IBuilder, D> builder
    rf"\b{OURS}(?:\s*>?\s*[*&]\s*(?:const\s+)?|(?:\s*,[^<>;]*)?>+\s+)(\w+)"
)
MADE = {  # auto builder = createInferBuilder(logger)
    "createInfer(Builder|Runtime|Refitter)": r"I\1",
    "nvonnxparser::createParser": "IParser",
    "createNetworkV2": "INetworkDefinition",
    "createBuilderConfig": "IBuilderConfig",
    "createExecutionContext": "IExecutionContext",
    "(?:buildEngine|deserializeCudaEngine)": "ICudaEngine",
    r"addInput": "ITensor",
    r"add(Convolution|Deconvolution|Pooling|Padding)(?:Nd)?\b": r"I\1Layer",
    r"add(?:Activation|ElementWise|Scale|MatrixMultiply|Shuffle)\b": "ILayer",
    r"network\w*(?:->|\.)getLayer": "ILayer",
}


def objects(code: str) -> dict[str, str]:
    """Return {variable: its TensorRT class} as far as a file tells."""
    found = {name: cls for cls, name in DECLARED.findall(code)}
    for call, cls in MADE.items():
        for match in re.finditer(rf"(\w+)\s*=[^;=]*?\b{call}", code):
            group = match[2] if match.re.groups > 1 else ""
            found.setdefault(match[1], cls.replace(r"\1", group))
    return found


def spelled(name: str) -> str:
    """Return a pattern for a Python method or property in C++.

    >>> spelled("get_binding_format"), spelled("stride")
    ('getBindingFormat', '[gs]etStride|stride')
    """
    words = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    camel = words[0].lower() + words[1:]
    if re.match(r"(get|set|is|has|add|create|platform|re?set|parse)_", name):
        return camel
    return f"[gs]et{words}|{camel}"


def derived(code: str, ours: dict[str, str]) -> Iterator[tuple]:
    """Yield (place, name, marks) of what Python's tables say is gone.

    For a file that uses TensorRT. A method is taken for TensorRT's where its
    object is known, or where nothing else would have such a name.
    """
    for name, marks in ONLY_CPP.items():
        for match in re.finditer(rf"\b{name}\b", code):
            yield match.end(), name, marks
    for (owner, name), marks in MARKS.items():
        if marks[-1] == "x" or name in STILL_CPP or not name.isidentifier():
            continue
        if not owner or name.isupper():
            text = f"{owner}::k{name}" if owner else name
            if owner or re.match("I[A-Z]", name):
                for match in re.finditer(rf"\b{text}\b", code):
                    yield match.end(), text, marks
            continue
        # Which class of C++ has it: Builder is IBuilder.
        theirs = {"OnnxParser": "IParser"}.get(owner, f"I{owner.lstrip('I')}")
        telling = "_" in name and name not in ORDINARY.split()
        call = rf"(\w*)\s*(?:->|\.)\s*((?i:{spelled(name)}))\s*\("
        for match in re.finditer(call, code):
            cls = ours.get(match[1], "")
            layer = theirs == "ILayer" and cls.endswith("Layer")
            if telling or layer or cls == theirs:
                yield match.end(), match[2], marks
