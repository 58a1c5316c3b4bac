"""What a Python call or index says that no name does."""

import ast
import re

from trt_names import REPLACED, Finding, finding
from trt_types import Types

# With no flag 8.6 makes a network whose batch is implicit.
NO_FLAG = re.compile(r"\.create_network\((?:flags=)?0?\)$")
PLAIN_BATCH = ("NetworkDefinitionCreationFlag", "EXPLICIT_BATCH")


def constant(node: ast.Call, function: str) -> str | None:
    """Return the name in `hasattr(x, "name")`, None for any other call."""
    if getattr(node.func, "id", "") == function and len(node.args) > 1:
        name = getattr(node.args[1], "value", None)
        return name if isinstance(name, str) else None
    return None


def guarded(tree: ast.AST) -> set[str | None]:
    """Return the names that the file asks for with hasattr."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {constant(node, "hasattr") for node in calls}


def call(node: ast.Call, types: Types) -> Finding | None:
    """Return what is to say of `len(engine)` and of a call's arguments."""
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    arguments, line = node.args, node.lineno
    if name == "len" and [types.of(a) for a in arguments] == ["ICudaEngine"]:
        return finding(line, "ICudaEngine", "__len__")
    if name == "get_tensor_profile_shape" and len(arguments) == 2:
        kinds = [type(getattr(a, "value", None)) for a in arguments]
        if kinds[0] is int or kinds[1] is str:
            new = "engine.get_tensor_profile_shape(name, 0)"
            text = f"{name}(index, name)"
            return Finding(line, "ICudaEngine", text, ".....", new)
    if name in ("add_quantize", "add_dequantize") and not arguments[2:]:
        of = types.of(getattr(node.func, "value", node.func))
        if of == "INetworkDefinition" and len(node.keywords) == 0:
            return finding(line, of, f"{name}(x, scale)")
    if types.has_tensorrt() and NO_FLAG.search(ast.unparse(node)):
        text = "create_network(0) for an explicit batch"
        return Finding(
            line, "Builder", text, ".xxxx", REPLACED[PLAIN_BATCH][0]
        )
    return None


def index_of_name(node: ast.Subscript, types: Types) -> Finding | None:
    """Return what is to say of `engine["x"]`, which was a binding's index."""
    text = isinstance(getattr(node.slice, "value", None), str)
    if not text or types.of(node.value) != "ICudaEngine":
        return None
    found = finding(node.lineno, "ICudaEngine", "get_binding_index")
    return found and found._replace(name="__getitem__(name)")
