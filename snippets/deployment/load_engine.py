"""Turn a plan into an engine, or say in TensorRT's words why not."""

import sys
from importlib import import_module, util

FULL = util.find_spec("tensorrt") is not None
trt = import_module("tensorrt" if FULL else "tensorrt_rtx")


# --8<-- [start:load]
class ErrorLog(trt.ILogger):
    """Keeps errors, which TensorRT does not raise; prints from WARNING up."""

    def __init__(self):
        super().__init__()
        self.errors = []

    def log(self, severity, msg):
        if severity <= trt.ILogger.Severity.WARNING:
            print(msg, file=sys.stderr)
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(msg)


def load_engine(plan: bytes) -> trt.ICudaEngine:
    """Return a plan's engine; raise RuntimeError with TensorRT's words."""
    log = ErrorLog()
    engine = trt.Runtime(log).deserialize_cuda_engine(plan)
    if engine is None:
        reason = (log.errors or ["no reason given"])[0]
        raise RuntimeError("TensorRT refused the plan: " + reason)
    return engine


# --8<-- [end:load]
