"""Use what deserialize_cuda_engine returned without looking at it."""

from build_engine import build_pool_network, trt

if __name__ == "__main__":
    # --8<-- [start:main]
    plan = build_pool_network()[:-1]  # a download that was cut short
    runtime = trt.Runtime(trt.Logger(trt.Logger.INTERNAL_ERROR))  # quiet
    engine = runtime.deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    # --8<-- [end:main]
