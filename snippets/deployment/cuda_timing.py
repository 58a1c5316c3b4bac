"""Time a call that may return before the GPU has done the work."""

import statistics
import time

import torch

from frame_diff import frames, make_engine
from trt_module import TRTModule


# --8<-- [start:time]
def time_call(call, repeat=50, warmup=10) -> float:
    """Return the median milliseconds of one call on the current stream."""
    for _ in range(warmup):  # first calls load kernels and allocate
        call()
    if not torch.cuda.is_available():
        laps = []
        for _ in range(repeat):
            start = time.perf_counter()
            call()
            laps.append(1e3 * (time.perf_counter() - start))
        return statistics.median(laps)
    pairs = [
        [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        for _ in range(repeat)
    ]
    torch.cuda.synchronize()  # nothing of before counts
    for start, end in pairs:
        start.record()  # noted by the GPU when it gets there
        call()
        end.record()
    torch.cuda.synchronize()  # only now have the events happened
    return statistics.median(a.elapsed_time(b) for a, b in pairs)


# --8<-- [end:time]

if __name__ == "__main__":
    # --8<-- [start:main]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = TRTModule(make_engine(device), device)
    before, after = [f.permute(2, 0, 1) for f in frames(device)]
    print(f"frame_diff: {time_call(lambda: model(before, after)):.3f} ms")
    # --8<-- [end:main]
