"""trt_module.py on a CPU stand-in for the engine, itself held against the real classes."""

import contextlib
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

SNIPPETS = ["deployment/trt_module.py", "deployment/cpu_engine.py", "deployment/frame_diff.py"]
torch.set_num_threads(1)
TYPES = onnx.parser.parse_model("""
<ir_version: 10, opset_import: ["": 17]>
types (float16[N, 4] half, int64[N] index, uint8[2, 3] image, int32[2] count)
        => (float16[N, 4] twice, bool[N] negative, uint8[2, 3] bright, int64[N] next, int32[2] same) {
    twice = Add(half, half)
    zero = Constant<value = int64 {0}>()
    negative = Less(index, zero)
    real = Cast<to = 1>(image)
    more = Add(real, real)
    bright = Cast<to = 2>(more)
    one = Constant<value = int64 {1}>()
    next = Add(index, one)
    same = Identity(count)
}""")
TYPES_PROFILE = {"half": ((1, 4), (2, 4), (9, 4)), "index": ((1,), (2,), (9,))}


@pytest.fixture(scope="module")
def s(trt):
    names = ("trt_module", "cpu_engine", "frame_diff", "load_engine", "cpu_memory")
    return SimpleNamespace(trt=trt, **{n: importlib.import_module(n) for n in names})


def types_module(s):
    return s.trt_module.TRTModule(s.cpu_engine.CpuEngine(TYPES, TYPES_PROFILE), "cpu")


def signature(function) -> list[str]:
    """Return the parameters' names of a real method, from what pybind11 wrote."""
    head = re.search(r"\w+\((self: .*)\) -> ", function.__doc__)[1]
    return re.findall(r"(?:^|, )(\w+): ", head)


@pytest.mark.claim(
    zh="替身引擎只有真实 ICudaEngine、IExecutionContext 也有的方法，参数名也相同",
    en="The stand-in has no method that the real ICudaEngine and IExecutionContext lack, with the same parameter names",
    against_zh="tensorrt_rtx 1.7 的两个类本身（查方法与签名）",
    against_en="tensorrt_rtx 1.7's two classes, their methods and signatures",
    tolerance="0",
)
def test_the_stand_in_has_only_real_methods(s):
    seen = 0
    for ours, real in ((s.cpu_engine.CpuEngine, s.trt.ICudaEngine),
                       (s.cpu_engine.CpuContext, s.trt.IExecutionContext)):
        for name, function in vars(ours).items():
            if name.startswith("_"):
                continue
            assert hasattr(real, name), name
            if isinstance(function, property):
                assert isinstance(getattr(real, name), property)
            elif name != "create_execution_context":
                assert list(inspect.signature(function).parameters) == signature(getattr(real, name)), name
            seen += 1
    assert seen == 12
    assert hasattr(s.trt.IExecutionContext, "engine")  # an attribute of both


def test_the_wrapper_calls_nothing_else(s):
    """Every method that the module calls on engine or context is a real one."""
    text = inspect.getsource(s.trt_module.TRTModule)
    engine = set(re.findall(r"\bengine\.(\w+)", text))
    context = set(re.findall(r"\bcontext\.(\w+)", text))
    assert len(engine) == 8 and len(context) == 4
    assert all(hasattr(s.trt.ICudaEngine, name) for name in engine)
    assert all(hasattr(s.trt.IExecutionContext, name) for name in context)


def test_the_stand_in_agrees_with_the_parsed_network(s):
    for model in (s.frame_diff.MODEL, TYPES):
        engine = s.cpu_engine.CpuEngine(model)
        log = s.trt.Logger(s.trt.Logger.ERROR)
        builder = s.trt.Builder(log)
        network = builder.create_network(0)
        parser = s.trt.OnnxParser(network, log)
        assert parser.parse(model.SerializeToString())
        real = [(t.name, t.dtype, tuple(t.shape), mode) for count, get, mode in (
            (network.num_inputs, network.get_input, s.trt.TensorIOMode.INPUT),
            (network.num_outputs, network.get_output, s.trt.TensorIOMode.OUTPUT))
            for t in map(get, range(count))]
        names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
        assert {engine.get_tensor_location(n) for n in names} == {s.trt.TensorLocation.DEVICE}
        assert real == [(n, engine.get_tensor_dtype(n), engine.get_tensor_shape(n),
                         engine.get_tensor_mode(n)) for n in names]


@pytest.mark.claim(
    zh="任意尺寸、不连续的输入，结果与 onnxruntime 直接运行逐位相同；输出按引擎的顺序",
    en="Inputs of any size, contiguous or not, give onnxruntime's own results bit for bit, in the engine's order",
    against_zh="onnxruntime（hypothesis 选尺寸、步长与维序）；内存按裸地址读写",
    against_en="onnxruntime (hypothesis picks sizes, strides and order of dimensions); memory is read and written at bare addresses",
    tolerance="0",
)
@settings(deadline=None, max_examples=40)
@given(height=st.integers(1, 96), width=st.integers(1, 128), step=st.integers(1, 3),
       flip=st.booleans(), seed=st.integers(0, 99))
def test_any_layout(s, height, width, step, flip, seed):
    gen = torch.Generator().manual_seed(seed)
    frames = [torch.randn(height * step, width, 3, generator=gen) for _ in range(2)]
    views = [f[::step].permute(2, 0, 1) for f in frames]
    if flip:
        views[1] = views[1].contiguous()
    model = s.trt_module.TRTModule(s.frame_diff.make_engine("cpu"), "cpu")
    with s.cpu_memory.CachingAllocator():  # a dangling copy would show
        got = model(*views)
    session = onnxruntime.InferenceSession(s.frame_diff.MODEL.SerializeToString())
    want = session.run(["change", "moved"], dict(zip(
        ("before", "after"), [v.numpy() for v in views], strict=True)))
    assert isinstance(got, tuple) and len(got) == 2
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)
        assert a.numpy().dtype == b.dtype


def test_any_type_and_a_fixed_order(s):
    model = types_module(s)
    half = torch.arange(8, dtype=torch.float16).view(4, 2).T
    index, image = torch.tensor([-3, 5]), torch.arange(6, dtype=torch.uint8).view(2, 3)
    count = torch.tensor([7, 9], dtype=torch.int32)
    got = model(half, index, image, count)
    want = [half.numpy() * 2, index.numpy() < 0, image.numpy() * 2, index.numpy() + 1, count.numpy()]
    assert [g.dtype for g in got] == [torch.float16, torch.bool, torch.uint8, torch.int64, torch.int32]
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)


@pytest.mark.claim(
    zh="导出的小 CNN 经 TRTModule（CPU 替身）运行，任意批次与尺寸、NHWC 的视图，与 PyTorch 相差小于 1e-6",
    en="The exported small CNN through TRTModule (on the CPU stand-in), at any batch and size, from NHWC views, is within 1e-6 of PyTorch",
    against_zh="PyTorch 直接运行原模型",
    against_en="PyTorch running the model itself",
    tolerance="1e-6",
)
def test_the_exported_cnn(s, small_cnn):
    model, _, proto = small_cnn
    profile = {"image": ((1, 3, 8, 8), (2, 3, 32, 32), (9, 3, 64, 64))}
    module = s.trt_module.TRTModule(s.cpu_engine.CpuEngine(proto, profile), "cpu")
    for batch, height, width in ((1, 8, 8), (5, 32, 40), (9, 64, 64)):
        x = torch.randn(batch, height, width, 3).permute(0, 3, 1, 2)
        with torch.no_grad():
            torch.testing.assert_close(module(x), model(x), rtol=0, atol=1e-6)


def test_every_type_that_torch_has_is_mapped(s):
    """By size: what get_tensor_dtype says is what torch allocates."""
    for real, ours in s.trt_module.DTYPES.items():
        assert torch.empty(0, dtype=ours).element_size() == real.itemsize, real
    assert {d.name for d in s.trt_module.DTYPES} == set(s.trt.DataType.__members__) - {
        "INT4", "FP4", "E8M0"}


@pytest.mark.claim(
    zh="超出 profile、类型不对、维数不对、个数不对：运行之前就抛出 ValueError，写明期望与实际",
    en="Outside the profile, wrong type, wrong rank, wrong number: ValueError before anything runs, saying what was expected and what came",
    against_zh="真实报错；两端的边界值都被接受",
    against_en="the errors themselves; both bounds are accepted",
)
def test_what_is_refused_and_what_is_not(s):
    model = s.trt_module.TRTModule(s.frame_diff.make_engine("cpu"), "cpu")
    ran = []
    model.enqueue = lambda: ran.append(1) or True
    fine = torch.zeros(3, 96, 128)
    for bad, message in (
        (torch.zeros(3, 97, 128), r"after: shape \(3, 97, 128\) is not within the profile, \(3, 1, 1\) to \(3, 96, 128\)"),
        (torch.zeros(3, 0, 128), r"after: shape \(3, 0, 128\) is not within"),
        (torch.zeros(1, 3, 96, 128), r"after: shape \(1, 3, 96, 128\) is not within"),
        (torch.zeros(4, 96, 128), r"after: shape \(4, 96, 128\) is not within"),
        (fine.half(), "after: expected torch.float32 on cpu, got torch.float16 on cpu"),
        (fine.to("meta"), "after: expected torch.float32 on cpu, got torch.float32 on meta"),
    ):
        with pytest.raises(ValueError, match=message):
            model(fine, bad)
    with pytest.raises(ValueError, match=r"expected \['before', 'after'\], got 1 inputs"):
        model(fine)
    assert not ran
    model(fine, fine)
    model(fine[:, :1, :1], fine[:, :1, :1])
    assert ran == [1, 1]


def test_a_fixed_shape_needs_no_profile(s):
    model = types_module(s)
    with pytest.raises(ValueError, match=r"image: shape \(3, 2\) is not within the profile, \(2, 3\) to \(2, 3\)"):
        model(torch.zeros(1, 4).half(), torch.zeros(1).long(), torch.zeros(3, 2).byte(),
              torch.zeros(2).int())


def test_what_tensorrt_refuses_raises(s):
    engine = s.frame_diff.make_engine("cpu")
    x = torch.zeros(3, 2, 2)
    model = s.trt_module.TRTModule(engine, "cpu")
    model.context.execute_async_v3 = lambda stream_handle: False
    with pytest.raises(RuntimeError, match="enqueue failed"):
        model(x, x)
    model.context.set_tensor_address = lambda name, memory: name != "moved"
    with pytest.raises(RuntimeError, match="TensorRT refused the address of moved"):
        model(x, x)
    model.context.set_input_shape = lambda name, shape: False
    with pytest.raises(RuntimeError, match="TensorRT refused before"):
        model(x, x)
    engine.get_tensor_location = lambda name: s.trt.TensorLocation.HOST
    with pytest.raises(ValueError, match="before is a shape tensor"):
        s.trt_module.TRTModule(engine, "cpu")


def test_a_shape_that_depends_on_the_data_is_refused(s):
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 17]> f (float[4] x) => (int64[1, N] where) { where = NonZero(x) }')
    module = s.trt_module.TRTModule(s.cpu_engine.CpuEngine(model), "cpu")
    with pytest.raises(ValueError, match=r"where: \(1, -1\): use an IOutputAllocator"):
        module(torch.zeros(4))


def test_one_output_is_a_tensor(s):
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 17]> f (float[4] x) => (float[4] y) { y = Neg(x) }')
    module = s.trt_module.TRTModule(s.cpu_engine.CpuEngine(model), "cpu")
    assert torch.equal(module(torch.ones(4)), -torch.ones(4))
    assert isinstance(module, torch.nn.Module) and not list(module.parameters())
    assert module.engine is module.context.engine  # kept: the context needs it


class Stream:
    """What torch.cuda.Stream has of what the module uses; records the order."""

    def __init__(self, name, calls, handle=0):
        self.name, self.calls, self.cuda_stream = name, calls, handle

    def wait_stream(self, other):
        self.calls.append(f"{self.name} waits for {other.name}")


@pytest.mark.claim(
    zh="用自己的、非默认的流：先等调用者的流，再 enqueue，最后让调用者的流等它",
    en="It uses a stream of its own, not the default one: wait for the caller's, enqueue, then make the caller's wait",
    against_zh="记录调用次序的替身流（这里没有 GPU）",
    against_en="stand-in streams that record the order of calls (no GPU here)",
    tolerance="0",
)
def test_the_order_on_the_streams(s, monkeypatch):
    module = s.trt_module.TRTModule(s.frame_diff.make_engine("cpu"), "cpu")
    calls = []
    caller = Stream("caller", calls)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: caller)
    module.stream = Stream("own", calls, handle=0x5EED)
    module.context.execute_async_v3 = lambda stream_handle: calls.append(f"enqueue on {stream_handle:#x}") or "done"
    assert module.enqueue() == "done"
    assert calls == ["own waits for caller", "enqueue on 0x5eed", "caller waits for own"]


def test_a_cuda_module_makes_a_stream(s, monkeypatch):
    """Without a GPU: only that torch.cuda.Stream is asked for, on that device."""
    module = pretend_cuda(s, monkeypatch, s.frame_diff.make_engine("cpu"), [])
    assert module.stream == ("stream of", torch.device("cuda:1"))
    assert s.trt_module.TRTModule(s.frame_diff.make_engine("cpu"), "cpu").stream is None


def pretend_cuda(s, monkeypatch, engine, current):
    """Return a module on "cuda:1", its GPU made up; `current` is the stack of torch.cuda.device blocks."""

    class Device:
        def __init__(self, device):
            self.device = device

        def __enter__(self):
            current.append(self.device)

        def __exit__(self, *error):
            current.pop()

    with monkeypatch.context() as patch:
        patch.setattr(torch.cuda, "Stream", lambda device: ("stream of", device))
        patch.setattr(torch.cuda, "device", Device)
        patch.setattr(s.trt_module.torch, "empty", lambda n, device: SimpleNamespace(device=torch.device(device)))
        return s.trt_module.TRTModule(engine, "cuda:1")


def test_the_gpu_of_the_context(s, monkeypatch):
    """Each call of TensorRT is made while the module's GPU is the current one, which is put back even after an error."""
    engine, current, seen = s.frame_diff.make_engine("cpu"), [], {}

    def noted(name, call):
        def note(*arguments):
            seen.setdefault(name, set()).add(tuple(current))
            return call(*arguments)
        return note

    engine.create_execution_context = noted("create", engine.create_execution_context)
    module = pretend_cuda(s, monkeypatch, engine, current)
    names = "set_input_shape", "get_tensor_shape", "set_tensor_address", "execute_async_v3"
    for name in names:
        setattr(module.context, name, noted(name, getattr(module.context, name)))
    module.device, module.stream = torch.device("cpu"), None  # the rest is the stand-in's
    x = torch.ones(3, 2, 2)
    assert torch.equal(module(x, x + 1)[0], x)
    assert seen == {name: {(torch.device("cuda:1"),)} for name in ("create", *names)}
    module.context.execute_async_v3 = lambda stream_handle: False
    with pytest.raises(RuntimeError, match="enqueue failed: TensorRT's log says why"):
        module(x, x)
    assert current == []


def test_empty_tensors_have_an_address(s):
    """torch says address 0 for a tensor without elements; TensorRT, and the stand-in, take none."""
    sizes = ((3, 0, 1), (3, 4, 4), (3, 9, 9))
    module = s.trt_module.TRTModule(s.cpu_engine.CpuEngine(s.frame_diff.MODEL, {"before": sizes, "after": sizes}), "cpu")
    empty = torch.zeros(3, 0, 4)
    assert empty.data_ptr() == 0
    for use in (contextlib.nullcontext(), s.cpu_memory.CachingAllocator()):
        with use:
            change, moved = module(empty, empty)
        assert change.shape == moved.shape == (3, 0, 4) and (change.dtype, moved.dtype) == (torch.float32, torch.bool)
    assert len(set(module.context._addresses.values()) - {0}) == 4
    assert torch.equal(module(torch.zeros(3, 1, 2), torch.ones(3, 1, 2))[0], torch.ones(3, 1, 2))


@pytest.mark.parametrize("name", ["before", "after", "change", "moved"])
def test_the_stand_in_refuses_no_address(s, name):
    context = s.frame_diff.make_engine("cpu").create_execution_context()
    room = {n: torch.zeros(3, 2, 2) for n in ("before", "after", "change", "moved")}
    for n, x in room.items():
        if n in ("before", "after"):
            context.set_input_shape(n, (3, 2, 2))
        if n != name:
            context.set_tensor_address(n, x.data_ptr())
    assert not context.execute_async_v3(0)
    context.set_tensor_address(name, 0)
    assert not context.execute_async_v3(0)
    context.set_tensor_address(name, room[name].data_ptr())
    assert context.execute_async_v3(0)


def test_another_profile(trt):
    """What the page names for a profile other than 0."""
    assert signature(trt.IExecutionContext.set_optimization_profile_async) == ["self", "profile_index", "stream_handle"]
    assert signature(trt.ICudaEngine.get_tensor_profile_shape) == ["self", "name", "profile_index"]


def test_the_model_builds_for_real(s, build_engine, tmp_path):
    for name, model, profile in (("frame_diff", s.frame_diff.MODEL, s.frame_diff.PROFILE),
                                 ("types", TYPES, TYPES_PROFILE)):
        onnx.save(model, tmp_path / f"{name}.onnx")
        assert len(build_engine.build_from_onnx(tmp_path / f"{name}.onnx", [profile])) > 1000


def test_the_shown_lines(s, capsys):
    s.frame_diff.compare_frames()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "contiguous: False False"
    assert lines[1] == "change: (3, 48, 64) torch.float32 7.0 to 7.0"
    assert lines[2] == "moved:  (3, 48, 64) torch.bool True"
    assert lines[3] == ("refused: after: shape (3, 97, 64) is not within the profile, "
                        "(3, 1, 1) to (3, 96, 128)")


def test_with_a_gpu_the_plan_is_loaded(s, build_engine, monkeypatch):
    """As far as it goes without one: a real plan reaches load_engine."""
    monkeypatch.setattr(s.frame_diff, "load_engine", lambda plan: plan)
    plan = s.frame_diff.make_engine("cuda")
    assert len(plan) > 1000 and plan[:4] == build_engine.build_pool_network()[:4]


ORDERS = """
outputs = set()
for name in ("twice", "negative", "bright", "next", "same"):
    outputs.add(name)
print(*outputs)
"""


def test_the_order_of_a_set(tmp_path):
    def orders(text):
        return {subprocess.run([sys.executable, "-S", "-c", text], env={"PYTHONHASHSEED": str(seed)},
                               capture_output=True, text=True, check=True).stdout for seed in range(8)}

    assert len(orders(ORDERS)) > 1
    assert orders(ORDERS.replace("set()", "[]").replace(".add(", ".append(")) == {
        "twice negative bright next same\n"}


def test_a_fixed_output_type(s):
    """Output type fixed to float32, as in the old article: a float16 result read as float32 is wrong in every value."""
    module = types_module(s)
    module.dtypes = module.dtypes | {"twice": torch.float32}
    half = torch.full((2, 4), 1.5, dtype=torch.float16)
    rest = (torch.zeros(2).long(), torch.zeros(2, 3).byte(), torch.zeros(2).int())
    wrong = module(half, *rest)[0]
    assert wrong.dtype == torch.float32
    assert not torch.isclose(wrong, torch.tensor(3.0)).any()
    assert torch.equal(wrong.view(torch.float16)[0], torch.full((8,), 3.0).half())
    assert torch.equal(types_module(s)(half, *rest)[0], half * 2)
    assert torch.empty(9, dtype=torch.int64).nbytes == 2 * torch.empty(9).nbytes  # past the end


def test_messages_that_need_a_gpu(trt):
    libs = importlib.import_module("tensorrt_rtx_libs")
    library = next(Path(libs.__file__).parent.glob("libtensorrt_rtx.so*")).read_bytes()
    for text in (b" does not satisfy any optimization profiles.", b"satisfyProfile\0", b"Set dimension \0",
                 b" Valid range for profile \0", b"Version tag does not match", b"The engine cannot run on this GPU",
                 b"Address is not set for input tensor ", b"Neither address or allocator is set for output tensor ",
                 b"Using default stream in enqueueV3() may lead to performance issues"):
        assert text in library
    assert b"Runtime dimension" not in library


@pytest.mark.gpu
@pytest.mark.claim(
    zh="真实的 TensorRT 引擎：同样的输入，与 PyTorch 的结果一致",
    en="A real TensorRT engine gives PyTorch's results for the same inputs",
    against_zh="PyTorch 逐位比较",
    against_en="PyTorch, bit for bit",
    tolerance="0",
)
def test_a_real_engine(s):
    model = s.trt_module.TRTModule(s.frame_diff.make_engine("cuda"), "cuda")
    for size in ((48, 64, 3), (1, 1, 3), (96, 128, 3)):
        before, after = [torch.randn(size, device="cuda").permute(2, 0, 1) for _ in range(2)]
        change, moved = model(before, after)
        assert torch.equal(change, after - before)
        assert torch.equal(moved, (after - before).abs() > 0.5)
    with pytest.raises(ValueError, match="is not within the profile"):
        model(before, torch.zeros(3, 97, 64, device="cuda"))
