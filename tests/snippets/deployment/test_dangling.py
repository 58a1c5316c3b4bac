"""wrong_dangling.py and right_dangling.py; cpu_memory.py's rule of reuse."""

import importlib
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

SNIPPETS = ["deployment/wrong_dangling.py", "deployment/right_dangling.py", "deployment/cpu_memory.py"]
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def s(trt):
    names = ("wrong_dangling", "right_dangling", "cpu_memory", "frame_diff", "cpu_engine")
    return SimpleNamespace(**{n: importlib.import_module(n) for n in names})


def count_right(s, infer, runs=20) -> int:
    """Return how many runs gave after - before everywhere."""
    right = 0
    gen = torch.Generator().manual_seed(0)
    for _ in range(runs):
        before, after = [torch.randn(48, 64, 3, generator=gen).permute(2, 0, 1) for _ in range(2)]
        with s.cpu_memory.CachingAllocator():
            got = infer(s.frame_diff.make_engine("cpu"), {"before": before, "after": after})
        right += torch.equal(got, after - before)
    return right


@pytest.mark.claim(
    zh="只留 data_ptr()、不留副本：两个不连续的输入拿到同一个地址，20 次全错；留住副本，20 次全对",
    en="Keeping data_ptr() but not the copy: two non-contiguous inputs get one address, wrong 20 times of 20; keeping the copies, right 20 of 20",
    against_zh="PyTorch 算出的 after − before，逐位比较；CPU 上按 CUDA 分配器的规则复用内存",
    against_en="after − before by PyTorch, bit for bit; on the CPU, with freed memory reused as torch's CUDA allocator does",
    tolerance="0",
    snippets=["deployment/wrong_dangling.py", "deployment/right_dangling.py"],
)
def test_twenty_runs(s):
    assert count_right(s, s.wrong_dangling.infer) == 0
    assert count_right(s, s.right_dangling.infer) == 20


def test_what_is_printed(s, capsys):
    s.wrong_dangling.main()
    s.right_dangling.main()
    assert capsys.readouterr().out == (
        "inputs: 2 addresses: 1\nafter - before = 8 - 1 = 0.0\n"
        "inputs: 2 addresses: 2\nafter - before = 8 - 1 = 7.0\n")


def test_contiguous_inputs_hide_it(s, capsys):
    """contiguous() makes no copy then, so that the fault passes a test on such inputs."""
    before, after = torch.ones(3, 4, 4), torch.full((3, 4, 4), 8.0)
    with s.cpu_memory.CachingAllocator():
        got = s.wrong_dangling.infer(s.frame_diff.make_engine("cpu"), {"before": before, "after": after})
    assert torch.equal(got, after - before)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5)), max_size=20))
def test_the_allocator(s, steps):
    alive, freed = [], {}
    source = {n: torch.arange(n * 4.0).view(2, -1).T for n in (1, 2, 3)}
    with s.cpu_memory.CachingAllocator():
        for size, drop in steps:
            x = source[size].contiguous() if drop % 2 else torch.empty(source[size].shape)
            if drop % 2:
                assert torch.equal(x, source[size]) and x.is_contiguous()
            if freed.get(x.nbytes):
                assert x.data_ptr() == freed[x.nbytes].pop()
            alive.append(x)
            ranges = sorted((y.data_ptr(), y.data_ptr() + y.nbytes) for y in alive)
            assert all(a[1] <= b[0] for a, b in zip(ranges, ranges[1:], strict=False))
            del x
            if drop > 2:
                y = alive.pop(drop % len(alive))
                freed.setdefault(y.nbytes, []).append(y.data_ptr())
                del y


def test_on_a_gpu_memory_is_the_gpus(s):
    assert not isinstance(s.cpu_memory.device_memory("cuda"), s.cpu_memory.CachingAllocator)
    assert isinstance(s.cpu_memory.device_memory("cpu"), s.cpu_memory.CachingAllocator)


@pytest.mark.gpu
def test_the_gpu_reuses(s):
    """Torch's CUDA allocator: once a copy is released, the next copy of that size gets the same address."""
    x = torch.randn(48, 64, 3, device="cuda").permute(2, 0, 1)
    assert len({x.contiguous().data_ptr() for _ in range(20)}) == 1
