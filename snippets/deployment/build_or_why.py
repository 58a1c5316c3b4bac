"""Build an ONNX model with TensorRT, or return its reason not to."""

import tempfile
from pathlib import Path

import onnx

from build_engine import build_from_onnx


def build_or_why(proto: onnx.ModelProto, profiles=()) -> str:
    """Return "builds", or the line of TensorRT's log that says why not."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        onnx.save(proto, path)
        try:
            return "builds" if build_from_onnx(path, profiles) else "empty"
        except RuntimeError as error:
            words = ("must have type", "Assertion failed")
            lines = str(error).splitlines() or ["no reason given"]
            marked = (s for s in lines if any(w in s for w in words))
            return next(marked, lines[0])
