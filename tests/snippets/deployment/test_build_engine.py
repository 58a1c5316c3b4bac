"""build_engine.py: real plans, built on the CPU; a failing build raises, and says why."""

import re
from pathlib import Path

import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

torch.set_num_threads(1)
OPEN = (-1, 3, -1, -1)


@pytest.fixture
def network(build_engine):
    """(network, its builder, its log)."""
    log = build_engine.BuildLog()
    builder = build_engine.trt.Builder(log)
    return builder.create_network(0), builder, log


@pytest.mark.claim(
    zh="三种写法都在 CPU 上建出引擎文件：固定形状、带 profile、从 ONNX 解析；没有在 GPU 上运行过",
    en="All three ways build an engine file on the CPU: fixed shape, with a profile, parsed from ONNX; none was run on a GPU",
    against_zh="plan 里的标记 vtrt、版本号、输入与输出的名字",
    against_en="the plan's mark vtrt, its version, the names of its input and output",
)
def test_plans_are_built_without_a_gpu(build_engine, tmp_path):
    path = tmp_path / "pool.onnx"
    onnx.save(onnx.parser.parse_model(build_engine.POOL), path)
    for plan in (build_engine.build_pool_network(),
                 build_engine.build_pool_network(OPEN, [build_engine.PROFILE]),
                 build_engine.build_from_onnx(path, [build_engine.PROFILE])):
        assert isinstance(plan, bytes) and plan.startswith(b"vtrt") and len(plan) > 100_000
        assert b"image" in plan and b"pooled" in plan
        version = bytes(int(part) for part in build_engine.trt.__version__.split("."))
        assert plan[24:28] == version == bytes([1, 7, 1, 116])


@pytest.mark.claim(
    zh="逐层搭出的池化，输出形状与 PyTorch 相同",
    en="Pooling added layer by layer has PyTorch's output shape",
    against_zh="max_pool2d，随机的窗口、步幅与尺寸",
    against_en="max_pool2d, at random windows, strides and sizes",
    tolerance="0",
)
@settings(max_examples=30, deadline=None)
@given(window=st.integers(1, 4), stride=st.integers(1, 4), shape=st.tuples(
    st.integers(1, 3), st.integers(1, 3), st.integers(4, 40), st.integers(4, 40)))
def test_the_layer_api_pools_as_torch_does(build_engine, window, stride, shape):
    log = build_engine.BuildLog()
    builder = build_engine.trt.Builder(log)
    network = builder.create_network(0)
    pooled = build_engine.add_pool_network(network, shape, window, stride)
    want = torch.nn.functional.max_pool2d(torch.empty(shape), window, stride)
    assert tuple(pooled.shape) == tuple(want.shape)
    layer = network.get_layer(0)
    layer.__class__ = build_engine.trt.IPoolingLayer
    assert network.get_input(0).dtype == build_engine.trt.float32
    assert layer.type == build_engine.trt.PoolingType.MAX
    assert (network.get_input(0).name, network.get_output(0).name) == ("image", "pooled")


def test_the_default_stride_is_one(build_engine, network):
    trt = build_engine.trt
    image = network[0].add_input("image", trt.float32, (1, 3, 32, 32))
    pool = network[0].add_pooling_nd(image, trt.PoolingType.MAX, (2, 2))
    assert tuple(pool.stride_nd) == (1, 1) and tuple(pool.get_output(0).shape) == (1, 3, 31, 31)


@pytest.mark.claim(
    zh="PyTorch 导出的 CNN 能解析、能建出引擎，输入输出的名字和形状与 ONNX 文件一致",
    en="The CNN exported from PyTorch is parsed and built, and its input and output have the names and shapes of the ONNX file",
    against_zh="onnx 读出的名字与形状",
    against_en="names and shapes as read by onnx",
    tolerance="0",
)
def test_the_exported_cnn_builds(build_engine, network, small_cnn, small_cnn_file):
    plan = build_engine.build_from_onnx(small_cnn_file, [build_engine.PROFILE])
    assert plan.startswith(b"vtrt") and b"scores" in plan
    parser = build_engine.trt.OnnxParser(network[0], network[2])
    assert parser.parse_from_file(str(small_cnn_file))
    for ours, theirs in ((network[0].get_input(0), small_cnn[2].graph.input[0]),
                         (network[0].get_output(0), small_cnn[2].graph.output[0])):
        dims = [-1 if d.dim_param else d.dim_value for d in theirs.type.tensor_type.shape.dim]
        assert (ours.name, list(ours.shape)) == (theirs.name, dims)


LINE = 'Path("model.engine").write_bytes(build_from_onnx("model.onnx", [PROFILE]))'


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_line_for_a_readers_model_writes_its_engine(
        build_engine, small_cnn_file, tmp_path, monkeypatch, language):
    page = Path(__file__).parents[3] / f"docs/{language}/deployment/tensorrt-build.md"
    assert f"`{LINE}`" in page.read_text("utf-8")
    small_cnn_file.rename(tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    exec(LINE, dict(vars(build_engine)))  # as the last line of the copied file
    plan = (tmp_path / "model.engine").read_bytes()
    assert plan.startswith(b"vtrt") and b"image" in plan and b"scores" in plan
    assert list(build_engine.PROFILE) == [onnx.load("model.onnx").graph.input[0].name]


@pytest.mark.claim(
    zh="不是 ONNX 的文件也能“解析成功”；build_from_onnx 一律抛 RuntimeError，从不返回 None",
    en="Files that are no ONNX are “parsed” too; build_from_onnx raises RuntimeError for each and never returns None",
    against_zh="空文件、文本、全零、不存在的文件",
    against_en="an empty file, text, zeros, and no file",
)
@pytest.mark.parametrize("content, parsed", [
    (b"", True), (b"<!DOCTYPE html>", True), (bytes(100), True), (None, False)])
def test_a_broken_file_raises(build_engine, network, tmp_path, content, parsed):
    path = tmp_path / "broken.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RuntimeError, match="broken.onnx"):
        build_engine.build_from_onnx(path)
    parser = build_engine.trt.OnnxParser(network[0], network[2])
    assert parser.parse_from_file(str(path)) is parsed
    config = network[1].create_builder_config()
    assert network[1].build_serialized_network(network[0], config) is None
    assert "Network must have at least one output" in network[2].errors[-1]


def test_a_profile_or_a_build_that_fails_raises_with_the_log(build_engine):
    with pytest.raises(RuntimeError, match="no optimization profile has been defined"):
        build_engine.build_pool_network(OPEN)
    low, usual, high = build_engine.PROFILE["image"]
    for order in ((high, usual, low), (low, high, usual), (usual, low, high)):
        with pytest.raises(ValueError, match="MIN<=OPT<=MAX"):
            build_engine.build_pool_network(OPEN, [{"image": order}])


@pytest.mark.claim(
    zh="池化网络要的工作空间恰好是 MAX 形状下输入与输出的字节数：少一个字节就返回 None，日志说 OutOfMemory",
    en="Pooling needs exactly the bytes of input and output at MAX as workspace: one byte less and the build fails with OutOfMemory",
    against_zh="由形状算出的字节数，4 个 MAX 形状",
    against_en="the bytes computed from the shape, at 4 MAX shapes",
    tolerance="0",
)
@pytest.mark.parametrize("batch, size", [(32, 128), (64, 128), (8, 64), (1, 32)])
def test_workspace_must_hold_input_and_output_at_max(build_engine, batch, size):
    profile = {"image": ((1, 3, 32, 32), (1, 3, 32, 32), (batch, 3, size, size))}
    need = 4 * 3 * batch * (size**2 + (size // 2) ** 2)
    if batch == 32:
        assert need == 7_864_320
    assert build_engine.build_pool_network(OPEN, [profile], workspace=need)
    with pytest.raises(RuntimeError, match=f"OutOfMemory .Requested size was {need - 1} bytes"):
        build_engine.build_pool_network(OPEN, [profile], workspace=need - 1)


def test_the_default_workspace_and_two_profiles(build_engine, network):
    kind = build_engine.trt.MemoryPoolType.WORKSPACE
    if not torch.cuda.is_available():  # else it is the GPU's memory
        assert network[1].create_builder_config().get_memory_pool_limit(kind) == 64 << 30
    two = [{"image": ((n, 3, 32, 32), (n, 3, 64, 64), (n, 3, 128, 128))} for n in (1, 32)]
    assert build_engine.build_pool_network(OPEN, two) != build_engine.build_pool_network(OPEN, two[:1])


def test_the_workspace_of_the_parser_route_counts_too(build_engine, tmp_path):
    path = tmp_path / "pool.onnx"
    onnx.save(onnx.parser.parse_model(build_engine.POOL), path)
    with pytest.raises(RuntimeError, match="OutOfMemory"):
        build_engine.build_from_onnx(path, [build_engine.PROFILE], workspace=1 << 10)
    assert build_engine.build_from_onnx(path, [build_engine.PROFILE], workspace=7_864_320)


@pytest.mark.parametrize("name, message", [("batch", "contradictory IOptimizationProfile kMIN/kMAX"), ("other", None)])
def test_axes_of_the_same_name_must_agree(build_engine, tmp_path, name, message):
    model = onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["": 20]>
add (float[batch, 3] a, float[{name}, 3] b) => (float[n] c, float[m] d) {{
  axes = Constant<value_ints = [1]>()
  c = ReduceSum<keepdims = 0>(a, axes)
  d = ReduceSum<keepdims = 0>(b, axes)
}}""")
    onnx.save(model, tmp_path / "add.onnx")
    profile = {key: tuple((n, 3) for n in sizes) for key, sizes in (("a", (1, 2, 4)), ("b", (5, 6, 7)))}
    if message is None:
        assert build_engine.build_from_onnx(tmp_path / "add.onnx", [profile])
        return
    with pytest.raises(RuntimeError, match="Input dimensions with this name have .*" + message):
        build_engine.build_from_onnx(tmp_path / "add.onnx", [profile])


@pytest.mark.parametrize("members, flag", [
    ("EXPLICIT_BATCH EXPLICIT_PRECISION", 1), ("EXPLICIT_BATCH STRONGLY_TYPED", 2), ("STRONGLY_TYPED", 1)])
def test_the_kind_of_network_on_8_10_and_11(build_engine, members, flag):
    """The flags' members and numbers as the bindings of 8.6.1, 10.x and 11.x have them."""
    import inspect
    import types
    flags = {member: number for number, member in enumerate(members.split())}
    fake = types.SimpleNamespace(NetworkDefinitionCreationFlag=types.SimpleNamespace(__members__=flags))
    text = inspect.getsource(build_engine).partition("[start:kind]")[2].partition("# --8<--")[0]
    scope = {"trt": fake}
    exec(text, scope)
    assert scope["KIND"] == flag


def test_external_data(build_engine, network, conv_in_two_files):
    path = conv_in_two_files[1]
    assert build_engine.build_from_onnx(path).startswith(b"vtrt")
    builder, log = network[1], network[2]
    parser = build_engine.trt.OnnxParser(network[0], log)
    assert not parser.parse(path.read_bytes())
    assert re.search(r"Failed to open file: conv\.onnx\.data", log.errors[0])
    other = builder.create_network(0)
    assert build_engine.trt.OnnxParser(other, log).parse(path.read_bytes(), str(path))


@pytest.mark.parametrize("owner, old, new", [
    ("NetworkDefinitionCreationFlag", "EXPLICIT_BATCH", "STRONGLY_TYPED"),
    ("INetworkDefinition", "add_pooling", "add_pooling_nd"),
    ("IPoolingLayer", "stride", "stride_nd"),
    ("IBuilderConfig", "max_workspace_size", "set_memory_pool_limit"),
    ("Builder", "max_batch_size", "create_network"),
    ("Builder", "build_engine", "build_serialized_network"),
])
def test_old_names_are_gone(trt, owner, old, new):
    assert not hasattr(getattr(trt, owner), old) and hasattr(getattr(trt, owner), new)


@pytest.mark.parametrize("method, added, message", [
    ("set_shape_input", True, "Dynamic input tensor image is missing dimensions in profile 0"),
    ("set_shape", False, "no optimization profile has been defined"),
    ("set_shape", True, None),
])
def test_the_old_profile(build_engine, network, method, added, message):
    net, builder, log = network
    build_engine.add_pool_network(net, OPEN)
    config, profile = builder.create_builder_config(), builder.create_optimization_profile()
    getattr(profile, method)("image", *build_engine.PROFILE["image"])
    if added:
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(net, config)
    assert (plan is None) is bool(message) and (message or "") in "\n".join(log.errors)
    assert message or log.errors == []  # what TensorRT says besides errors is not kept


@pytest.mark.parametrize("text, message", [
    ("x = 1 + \\ \n    2\n", "unexpected character after line continuation character"),
    ("if True:\n\tx = 1\n        y = 2\n", "inconsistent use of tabs and spaces"),
])
def test_the_old_blocks_do_not_parse(text, message):
    with pytest.raises(SyntaxError, match=message):
        compile(text, "old", "exec")


@pytest.mark.gpu
@pytest.mark.claim(
    zh="GPU 读得进这里建出的 plan：输入输出的名字、形状与 profile 的范围都不变",
    en="A GPU loads the plan: names and shapes of input and output and the profile's range are as built",
    against_zh="反序列化得到的引擎",
    against_en="the deserialised engine",
    tolerance="0",
)
def test_a_gpu_loads_the_plan(build_engine):
    trt, log = build_engine.trt, build_engine.BuildLog()
    runtime = trt.Runtime(log)
    engine = runtime.deserialize_cuda_engine(build_engine.build_pool_network(OPEN, [build_engine.PROFILE]))
    assert engine is not None, log.errors
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    assert names == ["image", "pooled"]
    assert [tuple(engine.get_tensor_shape(name)) for name in names] == [OPEN, OPEN]
    shapes = engine.get_tensor_profile_shape("image", 0)
    assert tuple(map(tuple, shapes)) == build_engine.PROFILE["image"]
