"""What the deployment tests share: TensorRT where there is one, one export.

A test that builds engines takes the fixture `trt`. Without TensorRT it is
skipped and says so; in CI (CI=true) that skip is a failure.
"""

import importlib
import os

import pytest

MISSING = ("no TensorRT here: pip install tensorrt-rtx | "
           "这里没有 TensorRT：pip install tensorrt-rtx")


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
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
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
