"""wrong_old_*.py and right_old_*.py, on the real classes of tensorrt_rtx."""

import onnx
import pytest
import tensorrt_rtx as trt
from onnx.reference import ReferenceEvaluator

import right_old_bindings
import right_old_build_engine
import right_old_explicit_batch
import right_old_fp16_flag
import right_old_profile_shape
import right_old_workspace
import wrong_old_bindings
import wrong_old_build_engine
import wrong_old_explicit_batch
import wrong_old_fp16_flag
import wrong_old_profile_shape
import wrong_old_workspace

SNIPPETS = [
    "deployment/wrong_old_bindings.py",
    "deployment/right_old_bindings.py",
    "deployment/wrong_old_workspace.py",
    "deployment/right_old_workspace.py",
    "deployment/wrong_old_fp16_flag.py",
    "deployment/right_old_fp16_flag.py",
    "deployment/wrong_old_explicit_batch.py",
    "deployment/right_old_explicit_batch.py",
    "deployment/wrong_old_build_engine.py",
    "deployment/right_old_build_engine.py",
    "deployment/wrong_old_profile_shape.py",
    "deployment/right_old_profile_shape.py",
]


class Engine:
    """Stands in for an engine with two inputs, since to load one needs a GPU."""

    modes = {"x": trt.TensorIOMode.INPUT, "size": trt.TensorIOMode.INPUT,
             "y": trt.TensorIOMode.OUTPUT}
    num_io_tensors = 3

    def get_tensor_name(self, index):
        return list(self.modes)[index]

    def get_tensor_mode(self, name):
        return self.modes[name]

    def get_tensor_profile_shape(self, name, profile_index):
        assert (name, profile_index) == ("x", 0)
        return [(1, 3), (2, 3), (4, 3)]


@pytest.mark.claim(
    zh="TensorRT 8 的五个名字，在真实的类上报错：binding_is_input、max_workspace_size、BuilderFlag.FP16、EXPLICIT_BATCH、build_engine",
    en="Five names of TensorRT 8 fail on the real classes: binding_is_input, max_workspace_size, BuilderFlag.FP16, EXPLICIT_BATCH, build_engine",
    against_zh="真实报错",
    against_en="the errors themselves",
    snippets=["deployment/wrong_old_bindings.py", "deployment/wrong_old_workspace.py"],
)
@pytest.mark.parametrize("module, said", [
    (wrong_old_bindings, "ICudaEngine' object has no attribute 'binding_is_input'"),
    (wrong_old_workspace, "IBuilderConfig' object has no attribute 'max_workspace_size'"),
    (wrong_old_fp16_flag, "BuilderFlag' has no attribute 'FP16'"),
    (wrong_old_explicit_batch, "has no attribute 'EXPLICIT_BATCH'"),
    (wrong_old_build_engine, "Builder' object has no attribute 'build_engine'"),
])
def test_a_name_of_tensorrt_8_is_gone(module, said):
    with pytest.raises(AttributeError) as error:
        module.main()
    assert str(error.value).endswith(said)
    if module is wrong_old_explicit_batch:  # cut to 50 characters by Python
        assert len("tensorrt_rtx_bindings.tensorrt_rtx.NetworkDefiniti") == 50
        assert "'tensorrt_rtx_bindings.tensorrt_rtx.NetworkDefiniti'" in str(error.value)
        full = "tensorrt_bindings.tensorrt.NetworkDefinitionCreationFlag"  # TensorRT from pip
        assert full[:50] == "tensorrt_bindings.tensorrt.NetworkDefinitionCreati"


def test_the_old_name_is_all_that_is_wrong(monkeypatch):
    """With the old method put back, the wrong examples do what they mean to."""
    monkeypatch.setattr(trt.Builder, "build_engine", trt.Builder.build_serialized_network,
                        raising=False)
    assert wrong_old_build_engine.main().nbytes > 0
    monkeypatch.setattr(trt.ICudaEngine, "binding_is_input", lambda engine, i: i == 0,
                        raising=False)
    empty = trt.ICudaEngine.__new__(trt.ICudaEngine)
    assert wrong_old_bindings.inputs(empty, 2) == [0]


def test_tensors_are_asked_for_by_name(capsys):
    assert right_old_bindings.inputs(Engine()) == ["x", "size"]
    right_old_bindings.main()
    assert capsys.readouterr().out == (
        "num_io_tensors True\nget_tensor_name True\nget_tensor_mode True\n")


@pytest.mark.claim(
    zh="get_profile_shape 改名之后参数顺序也反了：照旧传 (0, 名字) 报 TypeError",
    en="With its new name get_profile_shape also takes its arguments the other way round: (0, name) gives a TypeError",
    against_zh="真实的签名与报错",
    against_en="the real signature and error",
    snippets=["deployment/wrong_old_profile_shape.py", "deployment/right_old_profile_shape.py"],
)
def test_the_profile_s_arguments_are_swapped():
    empty = trt.ICudaEngine.__new__(trt.ICudaEngine)
    with pytest.raises(TypeError, match="incompatible function arguments") as error:
        wrong_old_profile_shape.profile_shapes(empty)
    assert "name: str, profile_index: typing.SupportsInt" in str(error.value)
    assert right_old_profile_shape.profile_shapes(Engine()) == [(1, 3), (2, 3), (4, 3)]


@pytest.mark.claim(
    zh="set_memory_pool_limit 之后读回来的上限就是所设的 1 GiB",
    en="After set_memory_pool_limit the limit that is read back is the 1 GiB that was set",
    against_zh="真实的 IBuilderConfig",
    against_en="the real IBuilderConfig",
    snippets=["deployment/right_old_workspace.py"],
)
def test_the_workspace_limit_is_kept(capsys):
    right_old_workspace.main()
    assert capsys.readouterr().out == f"workspace: {2**30} bytes\n"


@pytest.mark.claim(
    zh="转换成 FP16 的 ONNX 模型，解析出来的中间张量都是 HALF，网络能构建，输出与原模型一致",
    en="Of an ONNX model converted to FP16 the parsed inner tensors are HALF, the network builds, and the output is the original's",
    against_zh="onnx 的参考求值器，转换前后对比",
    against_en="onnx's reference evaluator, before and after conversion",
    tolerance="1e-3",
    snippets=["deployment/right_old_fp16_flag.py"],
)
def test_precision_comes_from_the_model(capsys):
    import numpy as np
    model = right_old_fp16_flag.small_model()
    half = right_old_fp16_flag.convert_float_to_float16(model, keep_io_types=True)
    assert half.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    x = np.array([[1.0, -2.0, 3.0, 0.25]], np.float32)
    outputs = [ReferenceEvaluator(m).run(None, {"x": x})[0] for m in (model, half)]
    np.testing.assert_allclose(outputs[0], [[1.125, 1.125]], rtol=1e-6)
    np.testing.assert_allclose(outputs[1], outputs[0], rtol=1e-3)
    right_old_fp16_flag.main()
    lines = capsys.readouterr().out.split("\n")
    assert [line.split("DataType.")[-1] for line in lines[:-2]] == ["HALF"] * 4 + ["FLOAT"]
    assert lines[-2] == "built: True"


@pytest.mark.claim(
    zh="add_pooling_nd 的 stride_nd 默认是 1：8×8 池化成 7×7，设成 2 才是 4×4",
    en="add_pooling_nd's stride_nd is 1 by default: 8×8 is pooled to 7×7, with 2 to 4×4",
    against_zh="torch.nn.functional.max_pool2d 的输出尺寸",
    against_en="the output size of torch.nn.functional.max_pool2d",
    snippets=["deployment/right_old_build_engine.py"],
)
def test_a_pool_s_stride_is_1_by_default(capsys):
    import torch
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 3, 8, 8))
    pool = network.add_pooling_nd(x, trt.PoolingType.MAX, (2, 2))
    image = torch.zeros(1, 3, 8, 8)
    by_torch = torch.nn.functional.max_pool2d
    assert tuple(pool.get_output(0).shape) == by_torch(image, 2, stride=1).shape == (1, 3, 7, 7)
    pool.stride_nd = (2, 2)
    assert tuple(pool.get_output(0).shape) == by_torch(image, 2).shape
    right_old_build_engine.main()
    assert capsys.readouterr().out == "output (1, 3, 4, 4) plan: True\n"


def test_a_failed_build_is_said(monkeypatch):
    monkeypatch.setattr(trt.Builder, "build_serialized_network", lambda *arguments: None)
    with pytest.raises(RuntimeError, match="no plan: the log says why"):
        right_old_build_engine.main()


def test_the_batch_is_a_dimension(capsys):
    right_old_explicit_batch.main()
    assert capsys.readouterr().out == "shape (-1, 3, 8, 8)\n"


def test_what_has_lost_its_setter_or_wants_one_more_argument():
    """The messages of the page's section, from the real classes."""
    context = trt.IExecutionContext.__new__(trt.IExecutionContext)
    with pytest.raises(AttributeError, match="property of 'IExecutionContext' object has no setter"):
        context.active_optimization_profile = 0
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 4))
    with pytest.raises(AttributeError, match="property of 'ITensor' object has no setter"):
        x.dtype = trt.float16
    assert network.add_cast(x, trt.float16).get_output(0).dtype == trt.float16
    scale = network.add_constant((), trt.Weights(onnx.numpy_helper.to_array(
        onnx.helper.make_tensor("s", onnx.TensorProto.FLOAT, [1], [0.5])))).get_output(0)
    with pytest.raises(TypeError, match="add_quantize.*incompatible function arguments"):
        network.add_quantize(x, scale)
    assert network.add_quantize(x, scale, trt.int8).get_output(0).dtype == trt.int8
