"""make_api_table.py: the table is what the bindings say, and can be made again."""

import importlib
import shutil
import subprocess
import sys
import sysconfig
import types
import zipfile
from pathlib import Path

import pytest
import tensorrt_rtx

import make_api_table
from make_api_table import differences, module_text, names_in_wheel, public_names
from trt_names import read_table

BINDING = """
#include <Python.h>
void *createInferBuilder_INTERNAL(void);
static PyObject *make(PyObject *self, PyObject *none) {
    return createInferBuilder_INTERNAL() ? self : Py_None;
}
static PyMethodDef methods[] = {{"make", make, METH_NOARGS, ""}, {0}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "tensorrt", "", -1, methods};
PyMODINIT_FUNC PyInit_tensorrt(void) {
    void *volatile pointer = (void *)createInferBuilder_INTERNAL;
    return pointer ? PyModule_Create(&module) : 0;
}
"""


def test_public_names_are_listed_with_the_class_that_defines_them():
    class Layer:
        precision = 1
        _hidden = 2

    class Pooling(Layer):
        stride = property(len, len)
        shape = property(len)

        def __len__(self):
            return 4

    module = types.ModuleType("module")
    vars(module).update(Layer=Layer, Pooling=Pooling, volume=len, _x=1)
    assert public_names(module) == {
        "": ["Layer", "Pooling", "volume"],
        "Layer": ["precision"], "Pooling": ["__len__", "shape", "stride", "stride="]}


@pytest.mark.claim(
    zh="列名字的函数在真实的 tensorrt_rtx 上，与 dir() 逐类展开继承后的结果相同",
    en="On the real tensorrt_rtx the function that lists names gives, with inheritance unfolded, what dir() gives of each class",
    against_zh="Python 自己的 dir()",
    against_en="Python's own dir()",
)
def test_names_of_the_real_module_are_what_dir_says():
    found = public_names(tensorrt_rtx)
    for owner, names in found.items():
        names = [n for n in names if n[-1] != "="]
        if not owner:
            continue
        cls = getattr(tensorrt_rtx, owner)
        inherited = {n for base in cls.__mro__[1:] for n in dir(base)}
        expected = {n for n in dir(cls) if not n.startswith("_")} - {"name", "value"}
        assert {n for n in {*names, *inherited} if n in expected} == expected
        assert not inherited & set(names)
    assert "INPUT" in found["TensorIOMode"] and "precision" not in found["ILayer"]


def test_differences_and_their_text():
    old = {"": ["A", "B", "Same"], "A": ["x"], "Same": ["y", "both"]}
    new = {"": ["C", "Same"], "C": ["z"], "Same": ["w", "both"]}
    groups = differences([old, new])
    assert groups == {("x.", ""): ["A", "B"], (".x", ""): ["C"],
                      ("x.", "Same"): ["y"], (".x", "Same"): ["w"]}
    many = {("x.", "Same"): [f"a_rather_long_name_{i}" for i in range(9)]}
    text = module_text("removed", many)
    assert max(map(len, text.split("\n"))) <= 79
    scope = {}
    exec(text, scope)
    assert read_table(scope["REMOVED"]) == {("Same", n): "x." for n in many["x.", "Same"]}


@pytest.mark.parametrize("kind", ["removed", "added"])
def test_the_committed_tables_are_what_the_script_would_write(kind):
    module = importlib.import_module(f"trt_{kind}")
    groups = {}
    for (owner, name), marks in read_table(getattr(module, kind.upper())).items():
        groups.setdefault((marks, owner), []).append(name)
    assert module_text(kind, groups) == Path(module.__file__).read_text("utf-8")


def test_an_extension_is_imported_without_its_library(tmp_path, monkeypatch):
    """A small extension linked to a libnvinfer.so.99 that does not exist."""
    include = Path(sysconfig.get_paths()["include"])
    if not shutil.which("gcc") or not (include / "Python.h").exists():
        pytest.skip("no gcc or no Python headers here | 这里没有 gcc 或 Python 头文件")
    build, folder = tmp_path / "build", tmp_path / "temporary"
    build.mkdir()
    folder.mkdir()
    (build / "binding.c").write_text(BINDING)
    (build / "lib.c").write_text("void *createInferBuilder_INTERNAL(void) { return 0; }")
    for command in (
        ["gcc", "-shared", "-fPIC", "-o", "libnvinfer.so.99", "lib.c"],
        ["gcc", "-shared", "-fPIC", f"-I{include}", "-o", "tensorrt.so", "binding.c",
         "./libnvinfer.so.99", "-Wl,-soname,tensorrt.so", "-Wl,-z,now"],
    ):
        subprocess.run(command, cwd=build, check=True)
    binding = (build / "tensorrt.so").read_bytes().replace(
        b"./libnvinfer.so.99\0", b"libnvinfer.so.99\0\0\0")
    wheel = tmp_path / "tensorrt_bindings-99.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tensorrt_bindings/tensorrt.so", binding)
    monkeypatch.setattr(make_api_table.tempfile, "tempdir", str(folder))
    assert names_in_wheel(wheel) == {"": ["make"]}
    assert list(folder.iterdir()) == []


def test_what_it_prints_of_the_installed_module(capsys):
    make_api_table.main([])
    names = public_names(tensorrt_rtx)
    assert capsys.readouterr().out == (
        f"tensorrt_rtx: {len(names) - 1} classes, {sum(n[-1] != '=' for f in names.values() for n in f)} names\n")


def test_five_wheels_give_two_modules(tmp_path, monkeypatch):
    """Each version's wheel is taken by its name; the modules lie beside the script."""
    for version in make_api_table.VERSIONS:
        (tmp_path / f"tensorrt_cu12_bindings-{version}.1-cp311.whl").touch()
    seen = []

    def fake(wheel):
        seen.append(wheel.name.split("-")[1])
        return {"": ["Old"] if len(seen) < 3 else ["New"]}

    monkeypatch.setattr(make_api_table, "names_in_wheel", fake)
    monkeypatch.setattr(make_api_table, "__file__", str(tmp_path / "make_api_table.py"))
    make_api_table.main([str(tmp_path)])
    assert seen == [f"{v}.1" for v in make_api_table.VERSIONS]
    assert 'REMOVED = """\nxx... - Old\n"""' in (tmp_path / "trt_removed.py").read_text()
    assert 'ADDED = """\n..xxx - New\n"""' in (tmp_path / "trt_added.py").read_text()
    assert sys.modules["trt_names"].MARKS  # untouched
