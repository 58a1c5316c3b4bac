"""engine_ties.py: a plan holds its version, and differs by GPU type."""

import importlib

import pytest


@pytest.fixture(scope="module")
def ties(trt):
    if not hasattr(trt, "ComputeCapability"):
        pytest.skip("this needs TensorRT for RTX")
    return importlib.import_module("engine_ties")


@pytest.mark.claim(
    zh="plan 的头部写着 TensorRT 的版本；为 SM89 与 SM120 建出的 plan 不同，同一目标建两次则逐字节相同",
    en="A plan's header holds TensorRT's version; plans for SM89 and SM120 differ, two for the same target are equal byte for byte",
    against_zh="plan 的字节",
    against_en="the bytes of the plans",
    tolerance="0",
)
def test_version_and_gpu_type(ties):
    version = bytes(int(part) for part in ties.trt.__version__.split("."))
    assert ties.plan_for()[24:28] == version
    plans = {name: ties.plan_for(name) for name in ("SM75", "SM89", "SM120")}
    assert plans["SM89"] == ties.plan_for("SM89")
    assert plans["SM89"] != plans["SM120"]
    both = ties.plan_for("SM89", "SM120")
    assert both not in plans.values()


def test_for_the_gpu_at_hand_there_must_be_one(ties):
    import torch
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(RuntimeError, match="CUDA driver version is insufficient for CUDA runtime version"):
        ties.plan_for("CURRENT")
