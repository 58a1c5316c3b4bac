"""The TensorRT names in the articles' code, against the table of real releases."""

from pathlib import Path

import pytest

from snippets import runnable
from trt_cpp import check_cpp
from trt_names import lacking
from trt_python import check_python

FOLDER = Path(__file__).parents[3] / "snippets/deployment"
PYTHON = ["build_engine.py", "build_or_why.py", "cpu_engine.py", "engine_ties.py", "load_engine.py",
          "precision.py", "profiles.py", "right_external_data.py", "trt_module.py"]
OLD = sorted(path.name for path in FOLDER.glob("wrong_old_*.py"))


@pytest.mark.claim(
    zh="Python 代码用到的 TensorRT API 名字，10 与 11 里都有；8.6 只缺 trt.int64 与 trt.bfloat16，create_network 要加 EXPLICIT_BATCH",
    en="The TensorRT API names that the Python code uses exist in 10 and 11; 8.6 lacks trt.int64 and trt.bfloat16 alone, and create_network needs EXPLICIT_BATCH there",
    against_zh="由 8.6、10.0、10.16、11.0、11.4 的真实绑定内省出的名字表",
    against_en="the table of names introspected from the real bindings of 8.6, 10.0, 10.16, 11.0 and 11.4",
    snippets=[f"deployment/{name}" for name in PYTHON],
)
@pytest.mark.parametrize("name", PYTHON)
def test_python_names_exist_in_10_and_11(name):
    text = "import tensorrt as trt\n" + runnable(FOLDER / name)  # what `trt` is, for the checker
    found = check_python(text)
    assert not [f for f in found if lacking(f.marks, "10") or lacking(f.marks, "11")]
    assert {f.name for f in found if lacking(f.marks, "8")} <= {
        "int64", "bfloat16", "create_network(0) for an explicit batch"}
    assert check_python(text + "\nflag = trt.BuilderFlag.FP16")  # a name that is gone is seen


@pytest.mark.claim(
    zh="C++ 代码用到的 TensorRT API 名字，10 与 11 里都有；8.6 里也都有，只是 createNetworkV2 要改用 kEXPLICIT_BATCH",
    en="The TensorRT API names that the C++ code uses exist in 10 and 11, and in 8.6 as well, where createNetworkV2 needs kEXPLICIT_BATCH",
    against_zh="同一张名字表里认得的 C++ 名字",
    against_en="the same table, for the C++ names that it knows",
    snippets=[f"deployment/cpp/{name}.cpp" for name in ("build_pool", "build_from_onnx", "infer")],
)
@pytest.mark.parametrize("name, for_8", [
    ("build_pool", ["createNetworkV2(0) for an explicit batch"]), ("build_from_onnx", ["createNetworkV2(0) for an explicit batch"]), ("infer", [])])
def test_cpp_names_exist_in_10_and_11(name, for_8):
    found = check_cpp((FOLDER / f"cpp/{name}.cpp").read_text("utf-8"))
    assert not [f for f in found if lacking(f.marks, "10") or lacking(f.marks, "11")]
    assert [f.name for f in found if lacking(f.marks, "8")] == for_8


@pytest.mark.claim(
    zh="每个旧写法的例子都被报出来；除了参数顺序那一例，用的名字都是 8.6 有而 11 没有",
    en="Each old example is reported; but for the one about the order of arguments, it uses a name that 8.6 has and 11 lacks",
    against_zh="由 8.6、10.0、10.16、11.0、11.4 的真实绑定内省出的名字表",
    against_en="the table of names introspected from the real bindings of 8.6, 10.0, 10.16, 11.0 and 11.4",
    snippets=[f"deployment/wrong_old_{name}.py" for name in (
        "bindings", "build_engine", "explicit_batch", "fp16_flag", "profile_shape", "workspace")],
)
@pytest.mark.parametrize("name", OLD)
def test_the_wrong_names_are_those_of_8(name):
    found = check_python(runnable(FOLDER / name))
    assert found
    if name != "wrong_old_profile_shape.py":
        assert any(lacking(f.marks, "11") and not lacking(f.marks, "8") for f in found)
