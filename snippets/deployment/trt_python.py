"""Find TensorRT names in Python source."""

import ast

from trt_calls import call, constant, guarded, index_of_name
from trt_classes import MODULES
from trt_names import MARKS, Finding, finding, guess
from trt_types import Types

ORDINARY = """build_engine max_batch_size max_workspace_size kernel_size
min_timing_iterations window_size get_shape get_strides execute_async
tensor_format tensorrt_version notify_shape reallocate_output add_padding
pre_padding post_padding get_location set_output_type compute_precision
dynamic_range supports_model device_memory_size fp16_mode int8_mode
strict_type_constraints"""  # may be anybody's
NAMES = {name for _, name in MARKS}
SETTERS = {name[:-1] for name in NAMES if name.endswith("=")}
UNMISTAKABLE = ("binding", "execute_async_v2", "profile_shape")


def telling(name: str, types: Types) -> bool:
    """Tell whether a name alone gives TensorRT away."""
    if types.has_tensorrt():
        return name.islower() and "_" in name and name not in ORDINARY.split()
    return any(part in name for part in UNMISTAKABLE)


# --8<-- [start:attribute]
def attribute(node: ast.Attribute, types: Types) -> Finding | None:
    """Return what is to say of `value.attr`."""
    line, name, value = node.end_lineno, node.attr, node.value
    if ast.unparse(value) in types.modules:  # trt.UffParser
        return finding(line, "", name)
    if owner := types.named(value):  # trt.BuilderFlag.FP16
        return finding(line, owner, name)
    if owner := types.of(value):  # engine.num_bindings
        written = isinstance(getattr(node, "ctx", None), ast.Store)
        setter = finding(line, owner, f"{name}=") if written else None
        return finding(line, owner, name) or setter  # tensor.dtype = ...
    theirs = ast.unparse(value).partition(".")[0] in types.others
    if theirs or name in types.own or not telling(name, types):
        return None
    return guess(line, name)


# --8<-- [end:attribute]


def asked(node: ast.Call, types: Types) -> Finding | None:
    """Return what is to say of `getattr(x, "name")`, as of `x.name`."""
    name = constant(node, "getattr")
    if name not in NAMES or len(node.args) > 2:
        return None
    where = {"lineno": node.lineno, "end_lineno": node.end_lineno}
    return attribute(ast.Attribute(node.args[0], name, **where), types)


def check_python(source: str | bytes) -> list[Finding]:
    """Return the names in a file that some TensorRT lacks, line by line.

    Raises SyntaxError where the source is not Python 3.
    """
    tree = ast.parse(source)
    types, skip, found = Types(tree), guarded(tree), []
    for node in ast.walk(tree):
        if getattr(node, "attr", None) in NAMES | SETTERS:
            found.append(attribute(node, types))
        elif isinstance(node, ast.Call):
            found += [call(node, types), asked(node, types)]
        elif isinstance(node, ast.Subscript):
            found.append(index_of_name(node, types))
        elif isinstance(node, ast.Name) and node.id in types.starred:
            found.append(finding(node.lineno, "", node.id))
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            for alias in node.names:
                found.append(finding(node.lineno, "", alias.name))
    real = {f for f in found if f and f.name not in skip}
    return sorted(real, key=lambda f: (f.line, f.name))
