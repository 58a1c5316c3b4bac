"""cpp/build_pool.cpp, cpp/build_from_onnx.cpp: they compile, and call what exists."""

from pathlib import Path

import pytest

SNIPPETS = ["deployment/cpp/build_pool.cpp", "deployment/cpp/build_from_onnx.cpp"]
CPP = Path(__file__).parents[3] / "snippets/deployment/cpp"


@pytest.mark.claim(
    zh="两个 C++ 文件通过编译器的语法与类型检查（头文件是本站自写的声明），没有链接，没有运行",
    en="Both C++ files pass the compiler's checks of syntax and types against declarations of our own; they were not linked and not run",
    against_zh="g++ -Wall -Wextra -Werror，以及 TensorRT for RTX 1.7 动态库里的符号：签名一致，或至少名字存在",
    against_en="g++ -Wall -Wextra -Werror, and the symbols in TensorRT for RTX 1.7's libraries: the signature, or at least the name, is there",
)
@pytest.mark.parametrize("name, same, by_name", [
    ("build_pool", 12, {"IOptimizationProfile::setDimensions", "createInferBuilder"}),
    ("build_from_onnx", 9, {"IOptimizationProfile::setDimensions", "createInferBuilder",
                            "createParser", "IParser::parseFromFile"}),
])
def test_every_call_exists_in_the_real_library(cpp_calls, name, same, by_name):
    calls = cpp_calls(CPP / f"{name}.cpp")
    short = {call.partition("(")[0].split("::", 1)[1]: how for call, how in calls.items()}
    assert short.pop("IHostMemory::data") == short.pop("IHostMemory::size") == "nowhere"
    assert {call for call, how in short.items() if how == "name"} == by_name
    assert list(short.values()).count("signature") == same == len(short) - len(by_name)


@pytest.mark.parametrize("name, old, new", [
    ("build_pool", "createNetworkV2(0)", "createNetwork()"),
    ("build_pool", "setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, ", "setMaxWorkspaceSize("),
    ("build_pool", "    return own(builder->", "    config->destroy();\n    return own(builder->"),
    ("build_from_onnx", "char** argv", "char argv"),
])
def test_an_old_name_or_a_wrong_type_does_not_compile(cpp_calls, tmp_path, name, old, new):
    text = (CPP / f"{name}.cpp").read_text("utf-8")
    assert old in text
    (tmp_path / "old.cpp").write_text(text.replace(old, new))
    with pytest.raises(AssertionError, match="error:"):
        cpp_calls(tmp_path / "old.cpp")
