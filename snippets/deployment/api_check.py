"""Say which TensorRT names in a file are gone, and what to write instead.

`python api_check.py FILE...` reads Python by its syntax tree and C++ (.cpp,
.cc, .cu, .h, .hpp) by names, without importing or running anything. It ends
with 1 if a file uses a name that TensorRT 11 lacks, with 2 if a file cannot
be read, else with 0. `--for 10` and `--for 8` ask what those lack, 10.0 and
8.6 included. Without FILE: an example.
"""

import argparse
import sys
from pathlib import Path

from trt_cpp import check_cpp
from trt_names import SHOWN, Finding, lacking, versions
from trt_python import check_python

PYTHON_FILES = {".py", ".pyi"}
CPP_FILES = {".cpp", ".cc", ".cxx", ".cu", ".h", ".hpp", ".cuh"}
CPP_KNOWN = " among the names it knows; a compiler finds the rest"
# --8<-- [start:example]
EXAMPLE = """\
import tensorrt as trt
builder = trt.Builder(trt.Logger())
builder.max_batch_size = 1
flag = 1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH)
network = builder.create_network(flag)
config = builder.create_builder_config()
config.max_workspace_size = 1 << 30
config.set_flag(trt.BuilderFlag.FP16)
pool = network.add_pooling(x, trt.PoolingType.MAX, (2, 2))
pool.stride = (2, 2)
engine = builder.build_engine(network, config)
for i in range(engine.num_bindings):
    if engine.binding_is_input(i):
        shapes = engine.get_profile_shape(0, engine.get_binding_name(i))
context = engine.create_execution_context()
context.set_binding_shape(0, shapes[1])
context.execute_async_v2(bindings, stream)
"""
# --8<-- [end:example]


def check(source: bytes, suffix: str, target: str = "11") -> list[Finding]:
    """Return what a source uses that the target version lacks, by line.

    suffix: the file's, it chooses the language; target: "8", "10" or "11".
    Raises SyntaxError where Python source is not Python, ValueError where the
    suffix is of neither language.
    """
    if suffix.lower() in CPP_FILES:
        found = check_cpp(source.decode("utf-8", "replace"))
    elif suffix.lower() in PYTHON_FILES:
        found = check_python(source)
    else:
        raise ValueError(f"expected .py or .cpp, .h, .cu; found {suffix!r}")
    return [each for each in found if lacking(each.marks, target)]


def report(name: str, found: Finding, target: str = "11") -> str:
    """Write a finding in two lines: what is gone where, and the new line."""
    only = ", ".join(versions(found.marks))
    where = f"only TensorRT {only}" if only else "wrong from TensorRT 8 on"
    what = f"{found.owner}.{found.name}".removeprefix(".")
    advice = found.new or "delete it"
    if found.new is None:  # not yet there, or gone without a known successor
        missing = lacking(found.marks, target)
        later = "x" in found.marks[SHOWN.index(missing[0]) :]
        advice = "see NVIDIA's migration guide"
        if later:
            advice = "not in " + ", ".join(missing)
    return f"{name}:{found.line}: {what} ({where})\n    {advice}"


def check_file(name: str, target: str) -> int:
    """Print what is found in a file; return its exit status."""
    try:
        path = Path(name)
        found = check(path.read_bytes(), path.suffix, target)
    except SyntaxError as error:
        print(f"{name}:{error.lineno}: not Python 3: {error.msg}")
        return 2
    except (OSError, ValueError) as error:
        print(f"{name}: cannot be read: {error}")
        return 2
    for each in found:
        print(report(name, each, target))
    known = "" if path.suffix in PYTHON_FILES else CPP_KNOWN
    print(f"{name}: {len(found) or 'nothing'} to change{known}")
    return int(bool(found))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    choice = {"choices": ("8", "10", "11"), "default": "11"}
    parser.add_argument("--for", dest="target", **choice)
    parser.add_argument("file", nargs="*")
    options = parser.parse_args(arguments)
    if options.file:
        return max(check_file(name, options.target) for name in options.file)
    for found in check(EXAMPLE.encode(), ".py", options.target):
        print(report("example.py", found, options.target))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
