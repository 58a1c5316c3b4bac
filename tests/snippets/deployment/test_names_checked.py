"""The TensorRT names in the articles' code, against the table of real releases."""

import re
from pathlib import Path

import pytest

from snippets import runnable
from trt_cpp import check_cpp
from trt_names import MARKS, lacking
from trt_python import check_python

FOLDER = Path(__file__).parents[3] / "snippets/deployment"
PYTHON = ["build_engine.py", "build_or_why.py", "cpu_engine.py", "engine_ties.py", "load_engine.py",
          "precision.py", "profiles.py", "right_external_data.py", "trt_module.py"]
OLD = sorted(path.name for path in FOLDER.glob("wrong_old_*.py"))


@pytest.mark.claim(
    zh="在 CPU 上用 TensorRT for RTX 1.7 构建；Python 代码用到的 API 名字与 8.6、10、11 核对过，都有；没有在 GPU 上运行",
    en="Built on a CPU with TensorRT for RTX 1.7; the API names that the Python code uses were checked against 8.6, 10 and 11, which have them all; not run on a GPU",
    against_zh="由 8.6、10.0、10.16、11.0、11.4 的真实绑定内省出的名字表",
    against_en="the table of names introspected from the real bindings of 8.6, 10.0, 10.16, 11.0 and 11.4",
    snippets=[
        "deployment/build_engine.py", "deployment/build_or_why.py", "deployment/cpu_engine.py",
        "deployment/engine_ties.py", "deployment/load_engine.py", "deployment/precision.py",
        "deployment/profiles.py", "deployment/right_external_data.py", "deployment/trt_module.py"],
)
@pytest.mark.parametrize("name", PYTHON)
def test_python_names_exist_in_10_and_11(name):
    text = "import tensorrt as trt\n" + runnable(FOLDER / name)  # what `trt` is, for the checker
    found = check_python(text)
    assert not [f for f in found if lacking(f.marks, "10") or lacking(f.marks, "11")]
    assert not [f for f in found if lacking(f.marks, "8")]
    assert check_python(text + "\nflag = trt.BuilderFlag.FP16")  # a name that is gone is seen


@pytest.mark.claim(
    zh="C++ 代码用到的 API 名字与 8.6、10、11 核对过；只有 kSTRONGLY_TYPED 是 8.6 没有的，那里用 kEXPLICIT_BATCH；没有链接，没有在 GPU 上运行",
    en="The API names that the C++ code uses were checked against 8.6, 10 and 11; 8.6 lacks kSTRONGLY_TYPED alone, and takes kEXPLICIT_BATCH; not linked and not run on a GPU",
    against_zh="同一张名字表里认得的 C++ 名字",
    against_en="the same table, for the C++ names that it knows",
    snippets=["deployment/cpp/build_pool.cpp", "deployment/cpp/build_from_onnx.cpp",
              "deployment/cpp/infer.cpp"],
)
@pytest.mark.parametrize("name, for_8", [
    ("build_pool", ["kSTRONGLY_TYPED"]), ("build_from_onnx", ["kSTRONGLY_TYPED"]), ("infer", [])])
def test_cpp_names_exist_in_10_and_11(name, for_8):
    found = check_cpp((FOLDER / f"cpp/{name}.cpp").read_text("utf-8"))
    assert not [f for f in found if lacking(f.marks, "10") or lacking(f.marks, "11")]
    assert not [f for f in found if lacking(f.marks, "8")]
    text = (FOLDER / f"cpp/{name}.cpp").read_text("utf-8")
    assert MARKS["NetworkDefinitionCreationFlag", "STRONGLY_TYPED"] == ".xxxx"
    assert re.findall("::(kSTRONGLY_TYPED)", text) == for_8


@pytest.mark.claim(
    zh="在 CPU 上用 TensorRT for RTX 1.7 运行，没有在 GPU 上运行；每个旧写法的例子都被报出来；除了参数顺序那一例，用的名字都是 8.6 有而 11 没有",
    en="Run on a CPU with TensorRT for RTX 1.7, not on a GPU; each old example is reported; but for the one about the order of arguments, it uses a name that 8.6 has and 11 lacks",
    against_zh="由 8.6、10.0、10.16、11.0、11.4 的真实绑定内省出的名字表",
    against_en="the table of names introspected from the real bindings of 8.6, 10.0, 10.16, 11.0 and 11.4",
    snippets=[
        "deployment/wrong_old_bindings.py", "deployment/wrong_old_build_engine.py",
        "deployment/wrong_old_explicit_batch.py", "deployment/wrong_old_fp16_flag.py",
        "deployment/wrong_old_profile_shape.py", "deployment/wrong_old_workspace.py"],
)
@pytest.mark.parametrize("name", OLD)
def test_the_wrong_names_are_those_of_8(name):
    found = check_python(runnable(FOLDER / name))
    assert found
    if name != "wrong_old_profile_shape.py":
        assert any(lacking(f.marks, "11") and not lacking(f.marks, "8") for f in found)
