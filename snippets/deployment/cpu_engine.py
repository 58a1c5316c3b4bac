"""A CPU stand-in for a TensorRT engine: same calls, same memory rules.

It has only methods that ICudaEngine and IExecutionContext have. onnxruntime
computes, but reads and writes at the bare addresses that were set.
"""

import ctypes
from importlib import import_module, util

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto

FULL = util.find_spec("tensorrt") is not None
trt = import_module("tensorrt" if FULL else "tensorrt_rtx")

NAMES = "FLOAT float32 FLOAT16 float16 INT64 int64 INT32 int32 UINT8 uint8"
NAMES = f"{NAMES} BOOL bool".split()
TRT_TYPES = {  # 8.6 lacks int64
    getattr(TensorProto, onnx_name): getattr(trt, name)
    for onnx_name, name in zip(NAMES[::2], NAMES[1::2], strict=True)
    if hasattr(trt, name)
}


def dims(value):
    """Return a value's shape, -1 where it is not a number."""
    sizes = value.type.tensor_type.shape.dim
    return tuple(d.dim_value if d.HasField("dim_value") else -1 for d in sizes)


class CpuEngine:
    """`profile` holds (min, opt, max) for each input of dynamic shape."""

    def __init__(self, model: onnx.ModelProto, profile: dict | None = None):
        self._model, self._profile = model, profile or {}
        self._inputs = [v.name for v in model.graph.input]
        values = [*model.graph.input, *model.graph.output]
        self._values = {v.name: v for v in values}
        data = model.SerializeToString()
        self._session = onnxruntime.InferenceSession(data)

    @property
    def num_io_tensors(self):
        return len(self._values)

    def get_tensor_name(self, index):
        return list(self._values)[index]

    def get_tensor_mode(self, name):
        return trt.TensorIOMode(1 if name in self._inputs else 2)

    def get_tensor_dtype(self, name):
        return TRT_TYPES[self._values[name].type.tensor_type.elem_type]

    def get_tensor_shape(self, name):
        return dims(self._values[name])

    def get_tensor_location(self, name):
        return trt.TensorLocation.DEVICE

    def get_tensor_profile_shape(self, name, profile_index):
        return self._profile[name]

    def create_execution_context(self):
        return CpuContext(self)


class CpuContext:
    def __init__(self, engine):
        self.engine, self._shapes, self._addresses = engine, {}, {}

    def set_input_shape(self, name, shape):
        self._shapes[name] = tuple(shape)
        return True

    def get_tensor_shape(self, name):
        if name in self._shapes:
            return self._shapes[name]
        model = onnx.ModelProto()
        model.CopyFrom(self.engine._model)
        for value in model.graph.input:
            given = self._shapes.get(value.name, ())
            sizes = value.type.tensor_type.shape.dim
            for d, n in zip(sizes, given, strict=False):
                d.dim_value = n
        known = onnx.shape_inference.infer_shapes(model).graph.output
        return next(dims(value) for value in known if value.name == name)

    # --8<-- [start:execute]
    def set_tensor_address(self, name, memory):
        self._addresses[name] = memory
        return True

    def execute_async_v3(self, stream_handle):
        if not all(self._addresses.get(n) for n in self.engine._values):
            return False  # not set, or 0: TensorRT says so in its log
        feeds = {n: self._memory(n) for n in self.engine._inputs}
        results = self.engine._session.run(None, feeds)
        names = list(self.engine._values)[len(feeds) :]
        for name, result in zip(names, results, strict=True):
            self._memory(name)[...] = result
        return True

    def _memory(self, name):
        """Return the bytes at a tensor's address as an array."""
        elem = self.engine._values[name].type.tensor_type.elem_type
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(elem))
        shape = self.get_tensor_shape(name)
        size = int(np.prod(shape)) * dtype.itemsize
        raw = (ctypes.c_char * size).from_address(self._addresses[name])
        return np.frombuffer(raw, dtype).reshape(shape)

    # --8<-- [end:execute]
