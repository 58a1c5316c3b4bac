"""A torch.nn.Module around a TensorRT engine; nothing about it is assumed."""

from contextlib import nullcontext
from importlib import import_module, util

import torch

FULL = util.find_spec("tensorrt") is not None
trt = import_module("tensorrt" if FULL else "tensorrt_rtx")

TYPES = {  # 8.6 lacks bfloat16 and int64
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "fp8": torch.float8_e4m3fn,
    "int64": torch.int64,
    "int32": torch.int32,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
DTYPES = {getattr(trt, n): t for n, t in TYPES.items() if hasattr(trt, n)}


class TRTModule(torch.nn.Module):
    """Call an engine like a module: tensors in, a tensor or a tuple out.

    Inputs and outputs go in the engine's own order. ValueError, before
    anything runs, for an input of another number, dtype, device or shape
    than the engine and optimisation profile 0 allow; RuntimeError where
    TensorRT refuses a call. One module, one thread: a context has state.
    """

    # --8<-- [start:init]
    def __init__(self, engine, device="cuda"):
        super().__init__()
        self.engine = engine
        # "cuda": the current GPU
        self.device = torch.empty(0, device=device).device
        cuda = self.device.type == "cuda"
        self.stream = torch.cuda.Stream(self.device) if cuda else None
        self.at = torch.cuda.device(self.device) if cuda else nullcontext()
        with self.at:
            self.context = engine.create_execution_context()
        self.dtypes, self.limits, self.outputs = {}, {}, []
        for i in range(engine.num_io_tensors):
            name = engine.get_tensor_name(i)
            if engine.get_tensor_location(name) == trt.TensorLocation.HOST:
                raise ValueError(f"{name} is a shape tensor, read on the host")
            self.dtypes[name] = DTYPES[engine.get_tensor_dtype(name)]
            if engine.get_tensor_mode(name) == trt.TensorIOMode.OUTPUT:
                self.outputs.append(name)  # a list: a set has no order
                continue
            low = high = tuple(engine.get_tensor_shape(name))
            if -1 in low:
                low, _, high = engine.get_tensor_profile_shape(name, 0)
            self.limits[name] = (tuple(low), tuple(high))

    # --8<-- [end:init]
    # --8<-- [start:forward]
    def forward(self, *tensors):
        if len(tensors) != len(self.limits):
            wanted = list(self.limits)
            raise ValueError(f"expected {wanted}, got {len(tensors)} inputs")
        for name, x in zip(self.limits, tensors, strict=True):
            self.check(name, x)
        with self.at:  # TensorRT works on the thread's current GPU
            return self.run(dict(zip(self.limits, tensors, strict=True)))

    def run(self, inputs):
        held = {n: x.contiguous() for n, x in inputs.items()}  # kept alive
        for name, x in held.items():
            if not self.context.set_input_shape(name, tuple(x.shape)):
                raise RuntimeError(f"TensorRT refused {name}: {x.shape}")
        for name in self.outputs:
            shape = tuple(self.context.get_tensor_shape(name))
            if -1 in shape:  # it depends on the data
                raise ValueError(f"{name}: {shape}: use an IOutputAllocator")
            dtype = self.dtypes[name]
            held[name] = torch.empty(shape, dtype=dtype, device=self.device)
        room = {n: x if x.numel() else x.new_empty(1) for n, x in held.items()}
        for name, x in room.items():  # an empty tensor's address is 0
            if not self.context.set_tensor_address(name, x.data_ptr()):
                raise RuntimeError(f"TensorRT refused the address of {name}")
        if not self.enqueue():
            raise RuntimeError("enqueue failed: TensorRT's log says why")
        results = tuple(held[name] for name in self.outputs)
        return results[0] if len(results) == 1 else results

    # --8<-- [end:forward]

    # --8<-- [start:enqueue]
    def enqueue(self):
        if self.stream is None:  # a stand-in on the CPU
            return self.context.execute_async_v3(0)
        caller = torch.cuda.current_stream(self.device)
        self.stream.wait_stream(caller)  # the inputs are being made there
        done = self.context.execute_async_v3(self.stream.cuda_stream)
        caller.wait_stream(self.stream)  # before it reads or frees memory
        return done

    # --8<-- [end:enqueue]

    # --8<-- [start:check]
    def check(self, name, x):
        (low, high), dtype = self.limits[name], self.dtypes[name]
        if (x.dtype, x.device) != (dtype, self.device):
            wanted = f"{name}: expected {dtype} on {self.device}"
            raise ValueError(f"{wanted}, got {x.dtype} on {x.device}")
        inside = x.ndim == len(low) and all(
            a <= n <= b for a, n, b in zip(low, x.shape, high, strict=True)
        )
        if not inside:
            raise ValueError(
                f"{name}: shape {tuple(x.shape)} is not "
                f"within the profile, {low} to {high}"
            )

    # --8<-- [end:check]
