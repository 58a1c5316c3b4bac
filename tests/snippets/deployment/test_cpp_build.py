"""cpp/build_pool.cpp, cpp/build_from_onnx.cpp: they compile, and call what exists."""

import ctypes
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
    ("build_pool", 11, {"IOptimizationProfile::setDimensions", "createInferBuilder"}),
    ("build_from_onnx", 8, {"IOptimizationProfile::setDimensions", "createInferBuilder",
                            "createParser", "IParser::parseFromFile"}),
])
def test_every_call_exists_in_the_real_library(cpp_calls, name, same, by_name):
    calls = cpp_calls(CPP / f"{name}.cpp")
    short = {call.partition("(")[0].split("::", 1)[1]: how for call, how in calls.items()}
    assert short.pop("IHostMemory::data") == short.pop("IHostMemory::size") == "nowhere"
    assert {call for call, how in short.items() if how == "name"} == by_name
    assert list(short.values()).count("signature") == same == len(short) - len(by_name)


@pytest.mark.parametrize("name, old, new", [
    ("build_pool", "createNetworkV2(KIND)", "createNetwork()"),
    ("build_pool", "// config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, ", "config->setMaxWorkspaceSize("),
    ("build_pool", "    return own(builder->", "    config->destroy();\n    return own(builder->"),
    ("build_from_onnx", "char** argv", "char argv"),
])
def test_an_old_name_or_a_wrong_type_does_not_compile(cpp_calls, tmp_path, name, old, new):
    text = (CPP / f"{name}.cpp").read_text("utf-8")
    assert old in text
    (tmp_path / "old.cpp").write_text(text.replace(old, new))
    with pytest.raises(AssertionError, match="error:"):
        cpp_calls(tmp_path / "old.cpp")


def pointer_at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value


@pytest.mark.claim(
    zh="IHostMemory 的 data() 与 size() 在头文件里内联，不留符号；直接调用它们背后的虚函数，得到引擎的每个字节与字节数",
    en="IHostMemory's data() and size() are inline and leave no symbol; the virtual functions behind them, called directly, give the engine's bytes and their number",
    against_zh="TensorRT for RTX 1.7 的同一个对象，由 Python 读出",
    against_en="the same object of TensorRT for RTX 1.7, read from Python",
    tolerance="0",
)
def test_the_functions_behind_host_memory(trt):
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    image = network.add_input("image", trt.float32, (1, 1, 4, 4))
    pool = network.add_pooling_nd(image, trt.PoolingType.MAX, (2, 2))
    network.mark_output(pool.get_output(0))
    memory = builder.build_serialized_network(network, builder.create_builder_config())
    held = pointer_at(id(memory) + object.__basicsize__)  # pybind11: the C++ object
    implementation = pointer_at(held + 8)  # its second word, after the virtual table's
    table = pointer_at(implementation)  # two destructors, then data, size, type

    def call(slot, result):
        return ctypes.CFUNCTYPE(result, ctypes.c_void_p)(pointer_at(table + 8 * slot))(implementation)

    size = call(3, ctypes.c_size_t)
    assert size == memory.nbytes > 100_000
    assert ctypes.string_at(call(2, ctypes.c_void_p), size) == bytes(memory)
