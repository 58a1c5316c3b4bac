"""cuda_timing.py with a clock and with events of our own."""

import importlib
import itertools
import time

import pytest
import torch

SNIPPETS = ["deployment/cuda_timing.py"]


@pytest.fixture
def timing(trt):
    return importlib.import_module("cuda_timing")


def test_median_without_warm_up(timing, monkeypatch):
    """On the CPU: warm-up calls are not timed; the result is the median of single calls in milliseconds."""
    now = [100.0]
    durations = itertools.chain([9, 9, 9], [0.001, 0.002, 0.007, 0.003, 0.5])
    monkeypatch.setattr(timing.torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])

    def call():
        now[0] += next(durations)

    assert timing.time_call(call, repeat=5, warmup=3) == pytest.approx(3.0, abs=1e-9)
    assert next(durations, None) is None


def test_the_order_on_a_gpu(timing, monkeypatch):
    steps, clock = [], itertools.count(10, 10)

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing
            steps.append("make")

        def record(self):
            steps.append("record")
            self.at = next(clock) ** 2

        def elapsed_time(self, end):
            steps.append("read")
            return end.at - self.at

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: steps.append("synchronize"))
    got = timing.time_call(lambda: steps.append("call"), repeat=3, warmup=2)
    # 20² - 10², 40² - 30², 60² - 50²
    assert got == 700
    assert steps == (["call"] * 2 + ["make"] * 6 + ["synchronize"] + ["record", "call", "record"] * 3
                     + ["synchronize"] + ["read"] * 3)


@pytest.mark.gpu
@pytest.mark.claim(
    zh="真实 GPU：不同步的计时不到真实耗时的一半",
    en="On a real GPU a clock without synchronisation shows less than half of the time",
    against_zh="同一批矩阵乘法，同步之后的时钟",
    against_en="the same matrix products with the clock read after synchronising",
)
def test_without_synchronising(timing):
    x = torch.randn(4096, 4096, device="cuda")
    right = timing.time_call(lambda: x @ x)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(20):
        x @ x
    returned = time.perf_counter() - start
    torch.cuda.synchronize()
    whole = time.perf_counter() - start
    assert returned < whole / 2
    assert right == pytest.approx(1e3 * whole / 20, rel=0.5)
