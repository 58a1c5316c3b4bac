"""wrong_none_engine.py, right_none_engine.py and load_engine.py: plans that TensorRT refuses."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

SNIPPETS = ["deployment/wrong_none_engine.py", "deployment/right_none_engine.py", "deployment/load_engine.py"]
FOLDER = Path(__file__).parents[3] / "snippets/deployment"
NO_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here | 这里有 GPU")


def test_none_has_no_context(trt):
    done = subprocess.run([sys.executable, "wrong_none_engine.py"], cwd=FOLDER, text=True, capture_output=True,
                          timeout=60)
    assert done.returncode == 1
    assert done.stderr.endswith("AttributeError: 'NoneType' object has no attribute 'create_execution_context'\n")


def test_load_engine_raises_with_the_log(trt, build_engine):
    load_engine = importlib.import_module("load_engine").load_engine
    frame_diff = importlib.import_module("frame_diff")
    plan = build_engine.build_pool_network()
    for data, words in ((plan[:-1], "plan.header.size == blobSize failed"), (plan + b"x", "plan.header.size == blobSize failed"),
                        (bytes(len(plan)), "header.magicTag == kEXPECTED_MAGIC_TAG failed"), (frame_diff.MODEL.SerializeToString(), "header.magicTag == kEXPECTED_MAGIC_TAG failed"), (b"", "Cannot deserialize with an empty memory buffer")):
        with pytest.raises(RuntimeError, match="TensorRT refused the plan: IRuntime::deserializeCudaEngine") as error:
            load_engine(data)
        assert words in str(error.value)


@NO_GPU
@pytest.mark.claim(
    zh="三种原因在日志里各有一句：plan 不完整、不是 plan、没有可用的驱动（cudaError 35）；load_engine 把它写进异常",
    en="The log has a sentence of its own for a plan that is cut short, for what is no plan, and for a missing driver (cudaError 35); load_engine puts it into the exception",
    against_zh="真实日志，tensorrt_rtx 1.7，没有 GPU",
    against_en="the log itself, tensorrt_rtx 1.7 without a GPU",
)
def test_three_reasons(trt):
    done = subprocess.run([sys.executable, "right_none_engine.py"], cwd=FOLDER, text=True, capture_output=True,
                          timeout=60, check=True)
    short, no_plan, whole = done.stdout.splitlines()
    assert short.startswith("cut short: TensorRT refused the plan") and "blobSize" in short
    assert no_plan.startswith("not a plan: TensorRT refused the plan") and "kEXPECTED_MAGIC_TAG" in no_plan
    assert whole.startswith("whole: TensorRT refused the plan")
    assert "cudaError 35: CUDA driver version is insufficient for CUDA runtime version" in whole


def test_warnings_are_no_errors(trt, capsys):
    log = importlib.import_module("load_engine").ErrorLog()
    severity = trt.ILogger.Severity
    for level in (severity.INTERNAL_ERROR, severity.ERROR, severity.WARNING, severity.INFO, severity.VERBOSE):
        log.log(level, level.name)
    assert log.errors == ["INTERNAL_ERROR", "ERROR"]
    assert capsys.readouterr().err == "INTERNAL_ERROR\nERROR\nWARNING\n"  # later errors too can be read


def test_without_a_reason(trt, monkeypatch):
    module = importlib.import_module("load_engine")
    monkeypatch.setattr(module.trt, "Runtime", lambda log: SimpleNamespace(deserialize_cuda_engine=lambda plan: None))
    with pytest.raises(RuntimeError, match="TensorRT refused the plan: no reason given"):
        module.load_engine(b"plan")


def test_an_engine_is_returned(trt, monkeypatch):
    """As on a GPU: here no engine can be had, so the runtime is a stand-in."""
    module = importlib.import_module("load_engine")

    class Runtime:
        def __init__(self, log):
            pass

        def deserialize_cuda_engine(self, plan):
            return ("engine of", plan)

    monkeypatch.setattr(module.trt, "Runtime", Runtime)
    assert module.load_engine(b"plan") == ("engine of", b"plan")
