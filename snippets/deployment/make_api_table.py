"""List which names each TensorRT has, by importing its Python bindings.

`python make_api_table.py WHEELS` reads the five wheels in that folder and
writes trt_removed.py and trt_added.py beside itself. The bindings link to
libnvinfer, which no index carries; empty libraries stand in for it, since
listing names calls nothing. Needs gcc and the Python that the wheels are
for. Without WHEELS: counts the names of tensorrt_rtx as it is installed.
"""

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import zipfile
from pathlib import Path

VERSIONS = ("8.6.1", "10.0.1", "10.16.1", "11.0.0", "11.4.0")
NEEDED = re.compile(
    rb"libnv\w+\.so\.\d+|create\w+_INTERNAL|getNvOnnxParserVersion"
    rb"|get\w*PluginRegistry|initLibNvInferPlugins"
    rb"|_ZN\d+nv(?:caffe|uff)parser\w+"
)


# --8<-- [start:names]
def public_names(module) -> dict[str, list[str]]:
    """Return {class: names}, "" for the module itself.

    What a class inherits is listed with the base class only. Of the special
    methods `__len__` counts: `len(engine)` worked in TensorRT 8. `x=` is the
    setter of a property x.
    """
    found = {"": [n for n in dir(module) if not n.startswith("_")]}
    for owner, cls in inspect.getmembers(module, inspect.isclass):
        own = {n for n in dir(cls) if n[0] != "_" or n == "__len__"}
        for base in cls.__mro__[1:]:
            own -= set(dir(base))
        own -= {"name", "value"}  # of each enumeration
        own |= {f"{n}=" for n in own if getattr(getattr(cls, n), "fset", None)}
        found[owner] = sorted(own)
    return found


# --8<-- [end:names]
# --8<-- [start:load]
def names_in_wheel(wheel: Path) -> dict[str, list[str]]:
    """Import a wheel's bindings in a process of their own; list the names."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        binding = next(Path(folder).rglob("tensorrt.so"))
        needed = {m.decode() for m in NEEDED.findall(binding.read_bytes())}
        libraries = {name for name in needed if ".so." in name}
        stub = [f"void *{n}(void) {{ return 0; }}" for n in needed - libraries]
        Path(folder, "stub.c").write_text("\n".join(stub))
        for library in libraries:
            command = ["gcc", "-w", "-shared", "-fPIC", "-o", library]
            subprocess.run([*command, "stub.c"], cwd=folder, check=True)
        command = [sys.executable, __file__, "--import", binding.parent]
        found = {**os.environ, "LD_LIBRARY_PATH": folder}
        return json.loads(subprocess.check_output(command, env=found))


# --8<-- [end:load]


def differences(tables: list[dict]) -> dict[tuple[str, str], list[str]]:
    """Return {(marks, class): names} that differ, if not with their class."""
    marks: dict[tuple[str, str], str] = {}
    for i, table in enumerate(tables):
        for owner, names in table.items():
            for name in names:
                before = marks.get((owner, name), "." * len(tables))
                marks[owner, name] = before[:i] + "x" + before[i + 1 :]
    groups: dict[tuple[str, str], list[str]] = {}
    for (owner, name), mark in sorted(marks.items()):
        like = marks.get((owner, name[:-1])) if name[-1] == "=" else ""
        if mark not in ("x" * len(tables), owner and marks["", owner], like):
            groups.setdefault((mark, owner), []).append(name)
    return groups


def module_text(kind: str, groups: dict) -> str:
    """Write groups as a Python module whose lines fit a screen."""
    text = f'"""What TensorRT {VERSIONS[-1]} has {kind} since {VERSIONS[0]}.'
    text += "\n\nMade by make_api_table.py. A row: which of the versions\n"
    text += f"{', '.join(VERSIONS)} have it (x), the class\n"
    text += f'(- is the module), the names.\n"""\n\n{kind.upper()} = """\n'
    for (mark, owner), names in sorted(groups.items()):
        row = f"{mark} {owner or '-'} {' '.join(names)}"
        text += textwrap.fill(row, 79, subsequent_indent="  ") + "\n"
    return text + '"""\n'


def main(arguments: list[str]) -> None:
    if not arguments:
        names = public_names(importlib.import_module("tensorrt_rtx"))
        count = sum(n[-1] != "=" for found in names.values() for n in found)
        print(f"tensorrt_rtx: {len(names) - 1} classes, {count} names")
    elif arguments[0] == "--import":
        sys.path.insert(0, arguments[1])
        print(json.dumps(public_names(importlib.import_module("tensorrt"))))
    else:
        wheels = Path(arguments[0])
        find = [f"tensorrt*bindings-{v}[.-]*.whl" for v in VERSIONS]
        every = differences([names_in_wheel(*wheels.glob(f)) for f in find])
        for kind, last in (("removed", "."), ("added", "x")):
            part = {key: every[key] for key in every if key[0][-1] == last}
            path = Path(__file__).with_name(f"trt_{kind}.py")
            path.write_text(module_text(kind, part))


if __name__ == "__main__":
    main(sys.argv[1:])
