"""Without TensorRT its tests are skipped and say so; in CI that is a failure."""

import shutil
import sys
from pathlib import Path

import pytest

from process import run


@pytest.mark.parametrize("ci, outcome", [("", "1 skipped"), ("true", "1 error")])
def test_a_missing_tensorrt(tmp_path, monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    for name in ("tensorrt", "tensorrt_rtx"):
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError({name!r})\n")
    (tmp_path / "test_a.py").write_text("def test_a(trt):\n    assert trt\n")
    done = run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"], tmp_path)
    assert outcome in done.stdout and "pip install tensorrt-rtx" in done.stdout
