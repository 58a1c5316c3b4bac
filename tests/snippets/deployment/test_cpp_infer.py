"""cpp/infer.cpp: it compiles, calls what exists, and runs on a runtime of our own."""

import importlib
import os
import re
import subprocess
from pathlib import Path

import pytest

SNIPPETS = ["deployment/cpp/infer.cpp"]
HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "snippets/deployment/cpp/infer.cpp"
GOOD = ["runtime", "deserialize", "context", "stream 1",
        "shape left", "type left", "malloc 240", "address left", "copy 240",
        "shape right", "type right", "malloc 240", "address right", "copy 240",
        "type sum", "malloc 240", "address sum", "enqueue", "copy 240", "synchronise"]


def test_every_call_exists(cpp_calls):
    calls = cpp_calls(SOURCE)
    short = {call.partition("(")[0].split("::", 1)[1]: how for call, how in calls.items()}
    assert set(short) == {"createInferRuntime", "IRuntime::deserializeCudaEngine"} | {
        f"ICudaEngine::{n}" for n in ("createExecutionContext", "getNbIOTensors", "getIOTensorName", "getTensorIOMode",
                                      "getTensorDataType", "getTensorShape", "getProfileShape")} | {
        f"IExecutionContext::{n}" for n in ("setInputShape", "setTensorAddress", "getTensorShape", "enqueueV3")}
    assert set(short.values()) <= {"name", "signature"}


def test_the_old_call_does_not_compile(cpp_calls, trt, tmp_path):
    """Nor is it in the real library, or on the real Python class."""
    libs = importlib.import_module("tensorrt_rtx_libs")
    library = next(Path(libs.__file__).parent.glob("libtensorrt_rtx.so*")).read_bytes()
    assert set(re.findall(rb"IExecutionContext::enqueue\w*", library)) == {b"IExecutionContext::enqueueV3"}
    assert b"enqueueV2" not in library and not hasattr(trt.IExecutionContext, "execute_async_v2")
    for old, new in (("enqueueV3(stream.get())", "enqueue(1, nullptr, stream.get(), nullptr)"),
                     ("enqueueV3(stream.get())", "enqueueV2(nullptr, stream.get(), nullptr)"),
                     ("int main(int argc, char** argv)", "int main(int argc, char argv)")):
        text = SOURCE.read_text("utf-8")
        assert old in text
        (tmp_path / "old.cpp").write_text(text.replace(old, new))
        with pytest.raises(AssertionError, match="error:"):
            cpp_calls(tmp_path / "old.cpp")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """infer.cpp linked with the made-up runtime, watched by AddressSanitizer."""
    made = tmp_path_factory.mktemp("infer") / "infer"
    done = subprocess.run(
        ["g++", "-std=c++17", "-g", "-fsanitize=address,undefined", SOURCE, HERE / "fake/runtime.cpp",
         "-I", HERE / "stub", "-o", made], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    made.with_name("plan").write_text("plan")
    return made


def run(program, *arguments, fail=0):
    """Return the finished process, the calls that it made, and what it left."""
    report = program.with_name("report")
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    done = subprocess.run([program, *arguments], text=True, capture_output=True, timeout=20,
                          env=environment | {"REPORT": str(report), "FAIL": str(fail)})
    lines = report.read_text().splitlines()
    assert "AddressSanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    return done, lines[:-2], lines[-2:]


def test_a_run(program):
    done, calls, left = run(program, program.with_name("plan"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "sum: 60 values, 3 first\n"
    assert done.stderr == "a warning\n"
    assert calls == GOOD
    assert left == ["buffers left: 0", "streams left: 0"]


@pytest.mark.claim(
    zh="infer.cpp 的 20 个调用逐一令其失败：每次都报错退出，返回 1，显存与流全部释放；不失败时次序与数值正确，没有泄漏",
    en="Each of infer.cpp's 20 calls made to fail in turn: an error, exit status 1, memory and stream released; without a failure the right order and values, no leak",
    against_zh="自写的假运行时，g++ AddressSanitizer；没有链接真实的库，没有 GPU",
    against_en="a made-up runtime and g++ AddressSanitizer; not linked with the real library, no GPU",
    tolerance="0",
)
def test_every_call_is_checked(program):
    done, calls, _ = run(program, program.with_name("plan"))
    assert (done.returncode, done.stdout, calls) == (0, "sum: 60 values, 3 first\n", GOOD)
    for number, call in enumerate(GOOD, 1):
        done, calls, left = run(program, program.with_name("plan"), fail=number)
        assert done.returncode == 1 and done.stdout == "", call
        assert calls == GOOD[:number], call
        assert left == ["buffers left: 0", "streams left: 0"], call
        last = done.stderr.splitlines()[-1]
        cuda = call.split()[0] in {"stream", "malloc", "copy", "synchronise"}
        assert last.startswith("out of memory (made up)" if cuda else "TensorRT refused: "), call


def test_values_of_the_callers(tmp_path):
    """Given values are used as they are; another number of them is an error, not cut off or filled up."""
    (tmp_path / "plan").write_text("plan")
    old = "infer(*engine, {})"
    assert old in SOURCE.read_text("utf-8")
    for count, status, said in ((60, 0, "sum: 60 values, 7 first\n"), (59, 1, "TensorRT refused: left: number of values\n"),
                                (61, 1, "TensorRT refused: left: number of values\n")):
        (tmp_path / "given.cpp").write_text(SOURCE.read_text("utf-8").replace(
            old, f'infer(*engine, {{{{"left", std::vector<float>({count}, 5.0f)}}}})'))
        done = subprocess.run(["g++", "-std=c++17", tmp_path / "given.cpp", HERE / "fake/runtime.cpp",
                               "-I", HERE / "stub", "-o", tmp_path / "given"], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        done, _, left = run(tmp_path / "given", tmp_path / "plan")
        words = done.stdout + done.stderr.removeprefix("a warning\n")
        assert (done.returncode, words) == (status, said)
        assert left == ["buffers left: 0", "streams left: 0"]


def test_an_empty_buffer_has_an_address(tmp_path):
    """cudaMalloc gives a null pointer for 0 bytes, which TensorRT refuses: at least one is asked for."""
    fake = (HERE / "fake/runtime.cpp").read_text("utf-8")
    (tmp_path / "fake.cpp").write_text(fake.replace("dims(3, 4, 5)", "dims(3, 0, 5)").replace("i < 60", "i < 0"))
    done = subprocess.run(["g++", "-std=c++17", SOURCE, tmp_path / "fake.cpp", "-I", HERE / "stub",
                           "-o", tmp_path / "empty"], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    (tmp_path / "plan").write_text("plan")
    _, calls, left = run(tmp_path / "empty", tmp_path / "plan")
    assert calls == [call.replace("malloc 240", "malloc 1").replace("copy 240", "copy 0") for call in GOOD]
    assert left == ["buffers left: 0", "streams left: 0"]


def test_the_command_to_compile(tmp_path):
    """compile_infer.sh without the libraries, our declarations in place of the headers."""
    command = (SOURCE.parents[1] / "compile_infer.sh").read_text("utf-8")
    assert command.startswith("# not run: ")
    for old, new in (("-I/usr/local/cuda/include", f"-I{HERE}/stub"), ("-L/usr/local/cuda/lib64", ""),
                     ("-lnvinfer -lcudart", str(HERE / "fake/runtime.cpp")), ("infer.cpp", str(SOURCE))):
        assert old in command
        command = command.replace(old, new)
    (tmp_path / "plan").write_text("plan")
    done = subprocess.run(["bash", "-ec", command], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    done, _, _ = run(tmp_path / "infer", tmp_path / "plan")
    assert done.stdout == "sum: 60 values, 3 first\n"


def test_bad_arguments(program):
    (program.with_name("other")).write_text("no plan")
    for arguments, message in (((), "usage: infer model.engine"), (("missing",), "TensorRT refused: missing"),
                               ((program.with_name("other"),), "the plan; its log is above")):
        done, _, _ = run(program, *arguments)
        assert done.returncode == 1 and message in done.stderr
