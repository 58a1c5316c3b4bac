"""export_onnx.py: same numbers as torch at other sizes, and what it must refuse."""

import io

import numpy as np
import onnx
import pytest
import torch
from torch import nn

import export_onnx
from export_onnx import SmallCNN, largest_difference, run_onnxruntime, run_reference

torch.set_num_threads(1)
SHAPES = [(2, 3, 32, 32), (1, 3, 48, 40), (5, 3, 17, 33), (1, 3, 2, 2), (33, 3, 5, 8)]


def images(shape, seed=3):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def pooling():
    """(model, in training mode until exported; ModelProto of opset 18; onnx.checker's full_check)."""
    checks = []
    model = nn.Sequential(nn.Dropout(0.5), nn.MaxPool2d(2)).train()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx.checker, "check_model", lambda p, full_check: checks.append(full_check))
        proto = export_onnx.export_onnx(model, images((2, 3, 8, 8)), output="pooled", opset=18)
    return model, proto, checks


@pytest.mark.claim(
    zh="导出一次，换五种批次与尺寸（包括奇数边长和批次 1），结果与 PyTorch 相同",
    en="Exported once, the model gives PyTorch's results at five other batches and sizes, odd sizes and batch 1 among them",
    against_zh="PyTorch、onnxruntime，以及按算子定义用 NumPy 计算的 onnx.reference",
    against_en="PyTorch, with onnxruntime and with onnx.reference, the operators' definitions in NumPy",
    tolerance="1e-6",
)
@pytest.mark.parametrize("run", [run_onnxruntime, run_reference])
def test_same_numbers_as_torch(small_cnn, run):
    model, _, proto = small_cnn
    for shape in SHAPES:
        assert largest_difference(model, proto, images(shape), run) < 1e-6
        assert run(proto, images(shape).numpy()).shape == (shape[0], 10)


@pytest.mark.claim(
    zh="数值比对能看出问题：把一个权重改动 0.001，差异就超过上限 1e-6",
    en="The comparison notices: one weight changed by 0.001 puts the difference above the bound of 1e-6",
    against_zh="改动过的 ONNX 文件",
    against_en="an ONNX model altered on purpose",
)
@pytest.mark.parametrize("index", range(6))
def test_a_changed_weight_is_noticed(small_cnn, index):
    model, image, proto = small_cnn
    changed = onnx.ModelProto.FromString(proto.SerializeToString())
    weight = [w for w in changed.graph.initializer if len(w.dims) and w.data_type == 1][index]
    values = onnx.numpy_helper.to_array(weight).copy()
    values.flat[0] += 1e-3
    weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))
    assert largest_difference(model, changed, image, run_onnxruntime) > 1e-6


def test_the_model_is_what_it_says():
    model, image = SmallCNN(), images((2, 3, 9, 6))
    first, second = model.body[0], model.body[3]
    x = nn.functional.conv2d(image, first.weight, first.bias, padding=1).clamp(min=0)
    x = nn.functional.max_pool2d(x, 2)
    x = nn.functional.conv2d(x, second.weight, second.bias, padding=1).clamp(min=0)
    want = x.flatten(2).mean(2) @ model.head.weight.T + model.head.bias
    assert torch.allclose(model(image), want, atol=1e-6) and want.shape == (2, 10)
    assert isinstance(model.body[1], nn.ReLU) and len(model.body) == 5


def test_the_reference_does_not_use_onnxruntime(small_cnn, monkeypatch):
    monkeypatch.delattr(export_onnx.onnxruntime, "InferenceSession")
    assert largest_difference(small_cnn[0], small_cnn[2], images((1, 3, 4, 4)), run_reference) < 1e-6


def test_another_shape_or_nan_is_noticed(small_cnn):
    model, image, proto = small_cnn
    with pytest.raises(ValueError, match=r"expected shape \(2, 10\), got \(10,\)"):
        largest_difference(model, proto, image, lambda *a: run_onnxruntime(*a)[0])
    nan = largest_difference(model, proto, image, lambda *a: run_onnxruntime(*a) * np.nan)
    assert not nan < 1e-6


@pytest.mark.claim(
    zh="文件里的权重与 state_dict 逐位相同，全部在一个文件里；批次、高、宽都没有固定",
    en="The file's weights equal the state_dict bit for bit and lie in one file; batch, height and width stay open",
    against_zh="用 onnx 读出的初始值与形状",
    against_en="initialisers and shapes as read by onnx",
    tolerance="0",
)
def test_weights_names_and_open_axes(small_cnn):
    model, _, proto = small_cnn
    read = {w.name: onnx.numpy_helper.to_array(w) for w in proto.graph.initializer}
    assert not any(w.external_data for w in proto.graph.initializer)
    for name, value in model.state_dict().items():
        assert np.array_equal(read[name], value.numpy())
    (image,), (scores,) = proto.graph.input, proto.graph.output
    dims = [[d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim] for v in (image, scores)]
    assert (image.name, scores.name) == ("image", "scores")
    assert dims == [["batch", 3, "height", "width"], ["batch", 10]]
    assert proto.opset_import[0].version == 20


@pytest.mark.claim(
    zh="要 opset 11 却得到 18 时抛出 ValueError；要 18 就得到 18",
    en="Asked for opset 11, the exporter gives 18, and export_onnx raises ValueError; asked for 18, it gives 18",
    against_zh="导出模型自己的 opset_import",
    against_en="the exported model's own opset_import",
)
def test_the_opset_is_checked(pooling, capfd, caplog):
    with pytest.raises(ValueError, match="asked for opset 11, got 18"):
        export_onnx.export_onnx(nn.AdaptiveAvgPool2d(1), torch.zeros(2, 3, 8, 8), opset=11)
    assert "Failed to convert the model to the target version 11" in caplog.text
    assert pooling[1].opset_import[0].version == 18
    assert "[torch.onnx]" not in capfd.readouterr().out


@pytest.mark.claim(
    zh="池化网络导出后逐位相同；还在训练模式的模型先切到 eval() 再导出",
    en="The pooling network comes out bit for bit; a model still in training mode is put into eval() first",
    against_zh="PyTorch 的 max_pool2d",
    against_en="PyTorch's max_pool2d",
    tolerance="0",
)
def test_pooling_is_exact_and_dropout_is_off(pooling):
    model, proto, checks = pooling
    assert checks == [True] and proto.graph.output[0].name == "pooled"
    image = images((3, 3, 9, 6))
    want = nn.functional.max_pool2d(image, 2).numpy()
    for run in run_onnxruntime, run_reference:
        assert np.array_equal(run(proto, image.numpy()), want)
        assert largest_difference(model.train(), proto, image, run) == 0


def test_the_model_is_the_same_every_time_and_leaves_the_seed_alone():
    before = torch.random.get_rng_state()
    one, two, other = SmallCNN(), SmallCNN(), SmallCNN(1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.head.weight, other.head.weight)


@pytest.mark.claim(
    zh="旧导出器（dynamo=False）把 int(x.shape[0]) 记成常数：批次 4 的输出是 (2, 6144)，不报错",
    en="The old exporter (dynamo=False) records int(x.shape[0]) as a constant: batch 4 gives (2, 6144), without an error",
    against_zh="在 onnxruntime 里运行",
    against_en="running it in onnxruntime",
    snippets=["deployment/wrong_baked_batch.py"],
)
def test_tracing_bakes_the_batch_in():
    from wrong_baked_batch import Flatten
    file = io.BytesIO()
    with (pytest.warns(DeprecationWarning, match="legacy TorchScript-based ONNX export"),
          pytest.warns(torch.jit.TracerWarning, match="Converting a tensor to a Python integer")):
        torch.onnx.export(Flatten(), (images((2, 3, 32, 32)),), file, input_names=["image"],
                          dynamic_axes={"image": {0: "batch"}}, dynamo=False)
    proto = onnx.load_from_string(file.getvalue())
    assert run_onnxruntime(proto, images((4, 3, 32, 32)).numpy()).shape == (2, 6144)


def test_dynamic_axes_is_converted_with_a_warning_and_one_file_can_be_had(tmp_path):
    """Two sentences of the page with one export."""
    with pytest.warns(UserWarning, match="'dynamic_axes' is not recommended when dynamo=True"):
        torch.onnx.export(nn.Conv2d(3, 4, 3).eval(), (images((2, 3, 8, 8)),), tmp_path / "one.onnx",
                          input_names=["image"], dynamic_axes={"image": {0: "batch"}},
                          external_data=False, verbose=False)
    assert [p.name for p in tmp_path.iterdir()] == ["one.onnx"]
    read = onnx.load(tmp_path / "one.onnx", load_external_data=False)
    assert read.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


def test_default_of_torch_writes_two_files(conv_in_two_files, tmp_path):
    """What the text says of external data: the default, and two ways to one file."""
    program, path = conv_in_two_files
    assert {p.name for p in path.parent.iterdir()} == {"conv.onnx", "conv.onnx.data"}
    program.save(tmp_path / "saved.onnx")
    onnx.save(program.model_proto, tmp_path / "proto.onnx")
    assert {p.name for p in tmp_path.iterdir()} == {"saved.onnx", "proto.onnx"}
    for one in tmp_path.iterdir():  # nothing beside it, and all of the weights
        read = onnx.load(one, load_external_data=False)
        assert sum(w.raw_data != b"" for w in read.graph.initializer) == 2


def test_a_branch_on_data_cannot_be_exported():
    class Branch(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(torch.onnx.OnnxExporterError) as error:
        export_onnx.export_onnx(Branch(), images((2, 3, 4, 4)))
    assert "Could not guard on data-dependent expression" in str(error.value.__cause__)

    class Where(nn.Module):
        def forward(self, x):
            return torch.where(x.sum() > 0, x, -x)

    proto = export_onnx.export_onnx(Where(), images((2, 3, 4, 4)))
    assert largest_difference(Where(), proto, -images((3, 3, 6, 5)).abs(), run_onnxruntime) == 0
