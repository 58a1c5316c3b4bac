"""What the deployment tests share: TensorRT where there is one, one export.

A test that builds engines takes the fixture `trt`. Without TensorRT it is
skipped and says so; in CI (CI=true) that skip is a failure.
"""

import importlib.util
import mmap
import os
import shutil
import subprocess
from pathlib import Path

import pytest

MISSING = ("no TensorRT here: pip install tensorrt-rtx | "
           "这里没有 TensorRT：pip install tensorrt-rtx")
NO_COMPILER = "no g++ here: apt install g++ | 这里没有 g++：apt install g++"


def give_up(reason: str):
    """Skip, but fail in CI, which installs everything."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def find_tensorrt():
    """Return the module, TensorRT's or TensorRT for RTX's, or None."""
    for name in ("tensorrt", "tensorrt_rtx"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


@pytest.fixture(scope="session")
def trt():
    """The TensorRT module that the snippets use too."""
    module = find_tensorrt()
    if module is None:
        give_up(MISSING)
    return module


@pytest.fixture(scope="session")
def build_engine(trt):
    """The snippet build_engine.py; importing it needs TensorRT."""
    return importlib.import_module("build_engine")


@pytest.fixture(scope="session")
def small_cnn():
    """(model, example image, ModelProto): exported once, since that takes seconds."""
    import torch

    from export_onnx import SmallCNN, export_onnx

    torch.set_num_threads(1)
    model = SmallCNN().eval()
    image = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(1))
    return model, image, export_onnx(model, image)


@pytest.fixture
def small_cnn_file(small_cnn, tmp_path):
    """The exported model as a file."""
    path = tmp_path / "small_cnn.onnx"
    path.write_bytes(small_cnn[2].SerializeToString())
    return path


@pytest.fixture(scope="session")
def conv_in_two_files(tmp_path_factory):
    """(ONNXProgram, path of the .onnx): what torch.onnx.export writes by default, alone in a folder."""
    import torch

    torch.set_num_threads(1)
    path = tmp_path_factory.mktemp("two") / "conv.onnx"
    conv = torch.nn.Conv2d(3, 4, 3).eval()
    return torch.onnx.export(conv, (torch.zeros(1, 3, 8, 8),), path, verbose=False), path


FACTORIES = {
    "createInferBuilder": "createInferBuilder_INTERNAL",
    "createInferRuntime": "createInferRuntime_INTERNAL",
    "createParser": "createNvOnnxParser_INTERNAL",
}


@pytest.fixture(scope="session")
def cpp_calls(trt, tmp_path_factory):
    """A function: C++ snippet -> {call: where the real library has it}.

    Our stub headers define nothing, so each call that the compiler accepted is
    an undefined symbol. It is "signature" where the library's Python bindings
    hold that very symbol (class, name, argument types), "name" where TensorRT's
    library holds only `Class::method` in its messages or the exported factory,
    and "nowhere" else. That is no proof that it runs.
    """
    if not shutil.which("g++"):
        give_up(NO_COMPILER)
    folder = {name: Path(importlib.util.find_spec(name).origin).parent
              for name in ("tensorrt_rtx_bindings", "tensorrt_rtx_libs")}
    bindings = folder["tensorrt_rtx_bindings"] / "tensorrt_rtx.so"
    libraries = sorted(folder["tensorrt_rtx_libs"].glob("libtensorrt_*rtx.so*"))
    symbols = set(symbols_of(bindings))
    assert len(symbols) > 1000 and len(libraries) == 2

    def where(symbol: str, call: str) -> str:
        name = call.partition("(")[0].removeprefix("nvinfer1::").removeprefix("nvonnxparser::")
        if symbol in symbols:
            return "signature"
        text = FACTORIES.get(name, name).encode()
        if name == "IParser::parseFromFile":  # virtual, and without a message of its own
            return "name" if any("parseFromFile" in s and "IParser" in s for s in symbols) else "nowhere"
        for library in libraries:
            with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if data.find(text) >= 0:
                    return "name"
        return "nowhere"

    def calls(path: Path) -> dict[str, str]:
        made = tmp_path_factory.mktemp("cpp") / f"{path.stem}.o"
        done = subprocess.run(
            ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", path,
             "-I", Path(__file__).parent / "stub", "-o", made], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        found = {}
        for symbol in symbols_of(made, "--undefined-only"):
            call = subprocess.run(["c++filt", symbol], text=True, capture_output=True).stdout.strip()
            if call.startswith(("nvinfer1::", "nvonnxparser::")) and "::Dims" not in call.partition("(")[0]:
                found[call] = where(symbol, call)
        return found

    return calls


def symbols_of(path: Path, *options: str) -> list[str]:
    done = subprocess.run(["nm", *options, path], text=True, capture_output=True, check=True)
    return [line.split()[-1] for line in done.stdout.splitlines()]
