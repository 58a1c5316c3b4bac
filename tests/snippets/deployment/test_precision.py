"""precision.py, qdq_int8.py and their wrong and right pairs."""

import copy
import importlib
import itertools
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx.reference import ReferenceEvaluator
from onnxruntime.quantization import CalibrationMethod

SNIPPETS = ["deployment/precision.py"]
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def s(trt):
    names = ("precision", "qdq_int8", "build_or_why", "wrong_fp16_overflow", "right_fp16_overflow",
             "wrong_int8_settings", "right_int8_settings")
    return SimpleNamespace(trt=trt, **{n: importlib.import_module(n) for n in names})


@pytest.fixture(scope="module")
def made(s):
    """The page's own run: (model, calibration, unseen, {name: proto})."""
    rng = torch.Generator().manual_seed(5)
    calibration = torch.randn(32, 3, 32, 32, generator=rng)
    unseen = torch.randn(8, 3, 32, 32, generator=rng)
    model = s.precision.make_model()
    return model, calibration, unseen, s.precision.variants(model, calibration)


def by_onnxruntime(proto, feed):
    """Run without fusing anything: every Q and DQ as it stands."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(proto.SerializeToString(), options).run(None, feed)[0]


def gap(got, want) -> float:
    return float(np.linalg.norm(got - want) / np.linalg.norm(want))


@pytest.mark.claim(
    zh="相对 float32 的误差：FP32 的 ONNX 小于 1e-6，FP16 约 4e-4，INT8 约 1e-2",
    en="Error relative to float32: below 1e-6 for the FP32 ONNX model, about 4e-4 for FP16, about 1e-2 for INT8",
    against_zh="PyTorch float32；由 ONNX 算子定义（NumPy）求值，FP32 与 INT8 再由 onnxruntime 复核",
    against_en="PyTorch float32; evaluated by the ONNX operators' definitions (NumPy), FP32 and INT8 again by onnxruntime",
    tolerance="15 %",
)
def test_errors(s, made):
    model, _, unseen, protos = made
    with torch.no_grad():
        want = model(unseen).numpy()
    error = {name: s.precision.relative_error(p, model, unseen) for name, p in protos.items()}
    assert 0 < error["FP32"] < 1e-6
    assert error["FP16"] == pytest.approx(4e-4, rel=0.15)
    assert error["INT8"] == pytest.approx(1.2e-2, rel=0.15)
    for name in ("FP32", "INT8"):
        assert gap(by_onnxruntime(protos[name], {"image": unseen.numpy()}), want) == pytest.approx(
            error[name], rel=0.02, abs=4e-7)


def test_the_error_is_relative(s, made):
    """||y - w|| / ||w|| with y = c w is |c - 1|."""
    model, _, unseen, protos = made
    scaled = copy.deepcopy(protos["FP32"])
    for tensor in scaled.graph.initializer:
        if tuple(tensor.dims) in ((10, 128), (10,)):
            tensor.CopyFrom(onnx.numpy_helper.from_array(1.25 * onnx.numpy_helper.to_array(tensor), tensor.name))
    assert s.precision.relative_error(scaled, model, unseen) == pytest.approx(0.25, abs=1e-5)


@pytest.mark.claim(
    zh="权重 378、189、95 kB：FP16 每个参数 2 字节；INT8 权重 1 字节，偏置仍是 4 字节",
    en="378, 189 and 95 kB of weights: 2 bytes a parameter in FP16; in INT8 1 byte a weight, biases still 4",
    against_zh="由参数个数直接计算",
    against_en="computed from the numbers of parameters",
    tolerance="0",
)
def test_bytes(s, made):
    model, _, _, protos = made
    weights = sum(p.numel() for p in model.parameters() if p.ndim > 1)
    biases = sum(p.numel() for p in model.parameters() if p.ndim == 1)
    got = {name: s.precision.weight_bytes(p) for name, p in protos.items()}
    other = sum(onnx.numpy_helper.to_array(i).nbytes for i in protos["FP32"].graph.initializer
                if i.data_type == onnx.TensorProto.INT64)
    assert got["FP32"] == 4 * (weights + biases) + other
    assert got["FP16"] == 2 * (weights + biases) + other
    scales = sum(i.name.endswith("_scale") for i in protos["INT8"].graph.initializer)
    assert got["INT8"] == weights + 4 * biases + other + (4 + 1) * scales
    assert [round(n / 1000) for n in got.values()] == [378, 189, 95]


@pytest.mark.claim(
    zh="TensorRT 的网络照搬模型里的类型：FP16 模型的卷积是 HALF，INT8 模型的 9 个量化节点是 INT8，无需任何 builder flag",
    en="TensorRT's network takes the model's own types: HALF convolutions from the FP16 model, INT8 from the INT8 model's 9 quantise nodes, with no builder flag",
    against_zh="tensorrt_rtx 解析出的每一层；三个模型都真实构建出 plan",
    against_en="each layer that tensorrt_rtx parsed; a real plan was built from all three",
    tolerance="0",
)
def test_types(s, made):
    *_, protos = made
    seen = {}
    for name, proto in protos.items():
        log = s.precision.BuildLog()
        network = s.trt.Builder(log).create_network(0)
        assert s.trt.OnnxParser(network, log).parse(proto.SerializeToString())
        layers = [network.get_layer(i) for i in range(network.num_layers)]
        seen[name] = {str(layer.get_output(0).dtype) for layer in layers if layer.type == s.trt.LayerType.CONVOLUTION}
        kinds = [layer.type for layer in layers if layer.type != s.trt.LayerType.CONSTANT]
        assert s.precision.parsed_types(proto).total() == len(kinds)
        assert s.build_or_why.build_or_why(proto, [s.precision.SIZES]) == "builds"
    assert seen == {"FP32": {"DataType.FLOAT"}, "FP16": {"DataType.HALF"}, "INT8": {"DataType.FLOAT"}}
    assert dict(s.precision.parsed_types(protos["FP32"])) == {"FLOAT": 11}
    assert dict(s.precision.parsed_types(protos["FP16"])) == {"HALF": 12, "FLOAT": 1}
    assert dict(s.precision.parsed_types(protos["INT8"])) == {"FLOAT": 24, "INT8": 9}
    quantised = sum(node.op_type == "QuantizeLinear" for node in protos["INT8"].graph.node)
    assert quantised == 9
    with pytest.raises(RuntimeError, match="Int32 but must have type"):
        s.precision.parsed_types(s.qdq_int8.quantise(s.qdq_int8.TINY, s.qdq_int8.BATCHES, {}))


def test_plan_sizes_say_little(s, made, build_engine, tmp_path):
    """About 0.81, 0.62 and 0.82 MB: the INT8 plan is no smaller than the FP32 plan."""
    sizes = []
    for name, proto in made[3].items():
        onnx.save(proto, tmp_path / f"{name}.onnx")
        sizes.append(len(build_engine.build_from_onnx(tmp_path / f"{name}.onnx", [s.precision.SIZES])))
    assert [round(n / 1e6, 2) for n in sizes] == [0.81, 0.62, 0.82]


@pytest.mark.claim(
    zh="TensorRT for RTX 1.7 里没有 BuilderFlag.FP16、BF16、INT8、FP8，没有校准器，也没有 ILayer.precision",
    en="TensorRT for RTX 1.7 has no BuilderFlag.FP16, BF16, INT8 or FP8, no calibrator and no ILayer.precision",
    against_zh="逐个查真实的类",
    against_en="the real classes, one by one",
    tolerance="0",
)
def test_no_flags(trt):
    assert not {"FP16", "BF16", "INT8", "FP8"} & set(trt.BuilderFlag.__members__)
    assert not [name for name in dir(trt) if "Calibrator" in name]
    assert not hasattr(trt.ILayer, "precision") and not hasattr(trt.ITensor, "dynamic_range")
    assert not hasattr(trt.Builder, "platform_has_fast_fp16")
    with pytest.raises(AttributeError, match="has no attribute 'FP16'"):
        _ = trt.BuilderFlag.FP16


def test_tf32_is_on(trt):
    config = trt.Builder(trt.Logger(trt.Logger.ERROR)).create_builder_config()
    assert config.get_flag(trt.BuilderFlag.TF32)
    config.clear_flag(trt.BuilderFlag.TF32)
    assert not config.get_flag(trt.BuilderFlag.TF32)


def test_strong_typing_may_be_asked_for(trt):
    flag = trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    for flags in (0, 1 << int(flag)):  # what TensorRT 10 needs, 11 and RTX accept
        assert builder.create_network(flags).get_flag(flag)


@pytest.mark.claim(
    zh="BF16：导出 model.to(torch.bfloat16)，TensorRT 解析为 11 层 BF16 并构建成功；误差 2.5e-3",
    en="BF16: exported from model.to(torch.bfloat16), TensorRT parses 11 BF16 layers and builds; off by 2.5e-3",
    against_zh="tensorrt_rtx 1.7 真实解析与构建；误差由 PyTorch 的 CPU 计算",
    against_en="tensorrt_rtx 1.7's own parsing and build; the error computed by PyTorch on the CPU",
    tolerance="15 %",
    snippets=["deployment/precision.py"],
)
def test_bf16(s, made):
    model, calibration, unseen, _ = made
    half = copy.deepcopy(model).to(torch.bfloat16)
    proto = s.precision.export_onnx(half, calibration[:2].bfloat16(), opset=22)
    assert dict(s.precision.parsed_types(proto)) == {"BF16": 11}
    assert s.build_or_why.build_or_why(proto, [s.precision.SIZES]) == "builds"
    with torch.no_grad():
        assert gap(half(unseen.bfloat16()).float().numpy(), model(unseen).numpy()) == pytest.approx(2.5e-3, rel=0.15)
    brain, half, full = (torch.finfo(t) for t in (torch.bfloat16, torch.float16, torch.float32))
    assert (brain.smallest_normal, 1 / brain.eps, 1 / half.eps) == (full.smallest_normal, 2 ** 7, 2 ** 10)
    assert brain.max > 0.99 * full.max


def test_bf16_needs_opset_22():
    versions = {v: {t for c in onnx.defs.get_schema("Conv", v).type_constraints for t in c.allowed_type_strs}
                for v in (20, 22)}
    assert {v: "tensor(bfloat16)" in types for v, types in versions.items()} == {20: False, 22: True}


def test_onnxruntime_runs_fp16_in_fp32(s, made, tmp_path):
    """Its optimised graph of the FP16 model holds FP32 convolutions: FP16 measured with it is not FP16."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    onnxruntime.InferenceSession(made[3]["FP16"].SerializeToString(), options, providers=["CPUExecutionProvider"])
    graph = onnx.load(tmp_path / "optimised.onnx").graph
    types = {i.name: i.data_type for i in graph.initializer} | {
        n.output[0]: n.attribute[0].i for n in graph.node if n.op_type == "Cast"}
    weights = [types[n.input[1]] for n in graph.node if "Conv" in n.op_type]
    assert weights == [onnx.TensorProto.FLOAT] * 3


@pytest.mark.claim(
    zh="Percentile、Entropy 校准与 per_channel=True 得到的 INT8 模型 TensorRT 都能构建；对随机权重，误差没有减小",
    en="TensorRT builds the INT8 models of Percentile and Entropy calibration and of per_channel=True; with random weights none has a smaller error",
    against_zh="tensorrt_rtx 1.7 真实构建；ONNX 参考求值器与 PyTorch float32 比",
    against_en="real builds by tensorrt_rtx 1.7; ONNX's reference evaluator against PyTorch in float32",
    tolerance="10 %",
    snippets=["deployment/qdq_int8.py"],
)
def test_remedies(s, made):
    model, calibration, unseen, protos = made
    batches = [batch.numpy() for batch in calibration.split(8)]
    plain = s.precision.relative_error(protos["INT8"], model, unseen)
    assert plain == pytest.approx(0.0116, rel=0.1)
    for more, error in (({"calibrate_method": CalibrationMethod.Percentile}, 0.0133),
                        ({"calibrate_method": CalibrationMethod.Entropy}, 0.0116),
                        ({"per_channel": True}, 0.0119)):
        proto = s.qdq_int8.quantise(protos["FP32"], batches, **more)
        assert s.build_or_why.build_or_why(proto, [s.precision.SIZES]) == "builds"
        got = s.precision.relative_error(proto, model, unseen)
        assert got == pytest.approx(error, rel=0.1) and got > 0.99 * plain
        scales = [i.dims for i in proto.graph.initializer if i.name.endswith("_scale")]
        assert any(list(d) == [128] for d in scales) == ("per_channel" in more)


def test_the_pre_processing_warning(s, caplog):
    s.qdq_int8.quantise(s.qdq_int8.TINY, s.qdq_int8.BATCHES)
    assert "Please consider to run pre-processing before quantization" in caplog.text
    assert importlib.import_module("onnxruntime.quantization.shape_inference").quant_pre_process


def test_another_reason(s):
    """What is not one of the two marked messages: the log's first line."""
    dynamic = s.wrong_fp16_overflow.MODEL
    assert "Network has dynamic or shape inputs, but no optimization profile" in s.build_or_why.build_or_why(dynamic)


def test_no_reason(s, monkeypatch):
    def refuse(path, profiles):
        raise RuntimeError("")

    monkeypatch.setattr(s.build_or_why, "build_from_onnx", refuse)
    assert s.build_or_why.build_or_why(s.qdq_int8.TINY) == "no reason given"


def test_layer_norm_is_one_node(s):
    """So the page's list of types does not keep it in FP32; by its type or its name it does."""
    proto = s.precision.export_onnx(Normed(), torch.zeros(2, 3, 4, 4))
    assert [n.op_type for n in proto.graph.node].count("LayerNormalization") == 1
    assert onnx.defs.get_schema("LayerNormalization").since_version == 17
    name = next(n.name for n in proto.graph.node if n.op_type == "LayerNormalization")

    def casts(**kept):
        half = s.precision.float16.convert_float_to_float16(copy.deepcopy(proto), keep_io_types=True, **kept)
        return [n.op_type for n in half.graph.node].count("Cast")

    assert casts(op_block_list=["Mul", "ReduceSum", "Sqrt"]) == 2  # at the input and the output only
    assert casts(op_block_list=["LayerNormalization"]) > 2
    assert casts(node_block_list=[name]) > 2


class Normed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1))


def test_nothing_given_is_changed(s, made):
    """Neither the exported model by the conversions, nor TINY by quantise."""
    before = made[3]["FP32"].SerializeToString(), s.qdq_int8.TINY.SerializeToString()
    s.qdq_int8.quantise(made[3]["FP32"], [made[1][:8].numpy()])
    s.qdq_int8.quantise(s.qdq_int8.TINY, s.qdq_int8.BATCHES)
    s.wrong_fp16_overflow.convert(s.wrong_fp16_overflow.MODEL)
    assert before == (made[3]["FP32"].SerializeToString(), s.qdq_int8.TINY.SerializeToString())
    assert all(v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
               for v in s.wrong_fp16_overflow.MODEL.graph.output)


def test_why_a_copy_on_disk(s, made, tmp_path):
    proto = copy.deepcopy(made[3]["FP32"])
    batches = [made[1][:8].numpy()]

    def direct():
        s.qdq_int8.quantize_static(proto, tmp_path / "out.onnx", s.qdq_int8.Batches("image", batches))

    direct()
    with pytest.raises(Exception, match="is not regular file|should be stored in"):
        direct()


@pytest.mark.claim(
    zh="对称 INT8：缩放因子是最大绝对值除以 127，存下的整数是 w / 缩放因子向偶数舍入，误差不超过它的一半",
    en="Symmetric INT8: the scale is the largest magnitude over 127, what is stored is w / scale rounded half to even, off by half the scale at most",
    against_zh="NumPy 按定义计算（hypothesis 选权重与输入）；数据类型与输出同样按定义复算",
    against_en="NumPy, from the definition (hypothesis picks weights and inputs), the output too",
    tolerance="1e-6",
    snippets=["deployment/qdq_int8.py"],
)
@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(-999, 999), min_size=4, max_size=4), st.lists(st.integers(-999, 999), min_size=2, max_size=2))
def test_by_hand(s, w, x):
    w, x = np.float32(w).reshape(2, 2) / 256, np.float32([x]) / 128
    if not np.abs(w).max() or not np.abs(x).max():
        return
    proto = copy.deepcopy(s.qdq_int8.TINY)
    proto.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(w, "w"))
    int8 = s.qdq_int8.quantise(proto, [x])
    stored = {i.name: onnx.numpy_helper.to_array(i) for i in int8.graph.initializer}
    step = {n: np.float32(np.abs(a).max() / np.float32(127)) for n, a in (("w", w), ("x", x))}
    np.testing.assert_allclose(stored["w_scale"], step["w"], rtol=1e-6)
    np.testing.assert_allclose(stored["x_scale"], step["x"], rtol=1e-6)
    assert stored["w_quantized"].dtype == np.int8 and not stored["w_zero_point"] and not stored["x_zero_point"]
    assert np.abs(stored["w_quantized"] - np.rint(w / stored["w_scale"])).max() <= (
        1 if np.isclose(np.abs(w / stored["w_scale"]) % 1, 0.5, atol=1e-4).any() else 0)
    real = stored["w_quantized"] * stored["w_scale"]
    assert np.abs(real - w).max() <= step["w"] / 2 * (1 + 1e-5)
    steps = lambda a, scale: np.clip(np.rint(a / scale), -128, 127) * scale
    want = steps(steps(x, stored["x_scale"]) @ real + stored["b"], stored["y_scale"])
    for run in (by_onnxruntime, lambda p, f: ReferenceEvaluator(p).run(None, f)[0]):
        np.testing.assert_allclose(run(int8, {"x": x}), want, atol=float(stored["y_scale"]) * 1.001)


def test_the_shown_tiny_model(s):
    int8 = s.qdq_int8.quantise(s.qdq_int8.TINY, s.qdq_int8.BATCHES)
    stored = {i.name: onnx.numpy_helper.to_array(i) for i in int8.graph.initializer}
    assert stored["x_scale"] == np.float32(2 / 127) and stored["w_scale"] == np.float32(1 / 127)
    assert stored["w_quantized"].tolist() == [[127, 64], [-32, 16]]  # 63.5, -31.75, 15.875
    assert stored["b"].dtype == np.float32 and stored["b"].tolist() == [1, -1]
    assert s.qdq_int8.TENSORRT == {"ActivationSymmetric": True, "QuantizeBias": False}


@pytest.mark.claim(
    zh="八种组合（有无符号 × 是否对称 × 偏置是否量化）里，TensorRT 只接受一种：有符号、对称、偏置不量化",
    en="Of eight combinations (signed or not, symmetric or not, bias quantised or not) TensorRT takes one: signed, symmetric, bias left in float",
    against_zh="tensorrt_rtx 1.7 真实构建；八种 onnxruntime 都能运行",
    against_en="real builds by tensorrt_rtx 1.7; onnxruntime runs all eight",
    tolerance="0",
    snippets=["deployment/wrong_int8_settings.py", "deployment/right_int8_settings.py", "deployment/build_or_why.py"],
)
def test_eight_combinations(s):
    q, kinds = s.qdq_int8, s.wrong_int8_settings.QuantType
    for kind, symmetric, bias in itertools.product((kinds.QInt8, kinds.QUInt8), (True, False), (True, False)):
        proto = q.quantise(q.TINY, q.BATCHES, {"ActivationSymmetric": symmetric, "QuantizeBias": bias}, kind)
        verdict = s.build_or_why.build_or_why(proto)
        by_onnxruntime(proto, {"x": q.BATCHES[0]})
        if bias:
            assert "b_DequantizeLinear: input has type Int32 but must have type" in verdict
        elif kind == kinds.QUInt8 or not symmetric:
            assert "Assertion failed: shiftIsAllZeros(zeroPoint): Non-zero zero point is not supported" in verdict
        else:
            assert verdict == "builds"


def test_the_shown_verdicts(s, capsys):
    s.wrong_int8_settings.main()
    s.right_int8_settings.main()
    defaults, float_bias, unsigned, right = capsys.readouterr().out.splitlines()
    assert defaults.startswith("defaults: ITensor::getDimensions: Error Code 4: API Usage Error (b_DequantizeLinear: input has type Int32")
    assert float_bias.startswith("bias in float: [6] Assertion failed: shiftIsAllZeros")
    assert unsigned.startswith("unsigned: [6] Assertion failed: shiftIsAllZeros")
    assert right == "signed, symmetric, bias in float: builds"


def unit_in_fp16(x):
    with np.errstate(over="ignore"):
        x = np.float16(x)
        return (x / np.sqrt((x * x).sum(dtype=np.float16))).astype(np.float32)


@pytest.mark.claim(
    zh="FP16 里 300 的平方溢出为 inf，[300, 400] 的单位向量变成 [0, 0]；onnxruntime 在 CPU 上仍给出 [0.6, 0.8]，看不出问题",
    en="In FP16 the square of 300 overflows to inf and the unit vector of [300, 400] becomes [0, 0]; onnxruntime on the CPU still gives [0.6, 0.8] and hides it",
    against_zh="NumPy float16 逐步计算；ONNX 参考求值器",
    against_en="NumPy float16 step by step; ONNX's reference evaluator",
    tolerance="1e-3",
    snippets=["deployment/wrong_fp16_overflow.py", "deployment/right_fp16_overflow.py"],
)
def test_overflow(s):
    wrong = s.wrong_fp16_overflow.convert(s.wrong_fp16_overflow.MODEL)
    right = s.right_fp16_overflow.convert(s.right_fp16_overflow.MODEL)
    for x in ([300, 400], [3, 4], [255, 0], [0, 257], [60000, 1]):
        feed = {"x": np.float32(x)}
        exact = feed["x"] / np.linalg.norm(feed["x"])
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(ReferenceEvaluator(wrong).run(None, feed)[0], unit_in_fp16(x), atol=1e-3)
        np.testing.assert_allclose(ReferenceEvaluator(right).run(None, feed)[0], exact, atol=1e-3)
    feed = {"x": np.float32([300, 400])}
    with np.errstate(over="ignore"):
        assert ReferenceEvaluator(wrong).run(None, feed)[0].tolist() == [0, 0]
    np.testing.assert_allclose(by_onnxruntime(wrong, feed), [0.6, 0.8], atol=1e-3)
    assert np.isinf(np.float16(65520)) and np.float16(65504) == 65504
    for proto in (wrong, right):
        assert s.build_or_why.build_or_why(proto, [{"x": ((1,), (2,), (9,))}]) == "builds"


def test_what_overflow_prints(s, capsys):
    with np.errstate(over="ignore"):
        s.wrong_fp16_overflow.main()
    s.right_fp16_overflow.main()
    assert capsys.readouterr().out == ("onnxruntime: [0.6 0.8]\nin FP16:     [0. 0.]\n"
                                       "onnxruntime: [0.6 0.8]\nin FP16:     [0.6 0.8]\n")


@pytest.mark.filterwarnings("ignore:the float32 number")
def test_the_converter_changes_large_weights(s):
    """By default onnxconverter-common cuts magnitudes above 1e4 to 1e4 and raises non-zero ones below 1e-7 to 1e-7."""
    proto = onnx.parser.parse_model('''<ir_version: 10, opset_import: ["": 20]>
        f (float[1] x) => (float[1] y) <float[1] w = {20000}, float[1] v = {1e-9}> {
            [m] z = Mul(x, w)
            [n] y = Add(z, v)
        }''')
    half = s.precision.float16.convert_float_to_float16(proto, keep_io_types=True)
    w, v = [onnx.numpy_helper.to_array(i) for i in half.graph.initializer]
    assert w.dtype == np.float16 and w == 10000
    assert v == pytest.approx(1e-7, rel=0.25)  # FP16's smallest step is 6e-8
    for value, kept in ((-20000.0, -10000), (-1e-9, -1e-7), (0.0, 0)):
        number = s.precision.float16.convert_np_to_float16(np.float32([value]))
        assert number == pytest.approx(kept, rel=0.25)
    for value in (20000.0, -20000.0, 1e-9, -1e-9):
        with pytest.warns(UserWarning, match="will be truncated to"):
            s.precision.float16.convert_np_to_float16(np.float32([value]))


@pytest.mark.gpu
@pytest.mark.claim(
    zh="三个引擎在 GPU 上的误差与页面上的相同",
    en="The three engines' errors on a GPU are those on the page",
    against_zh="PyTorch float32",
    against_en="PyTorch in float32",
    tolerance="1e-5 (FP32), 1e-3 (FP16), 2e-2 (INT8)",
    snippets=["deployment/precision.py"],
)
@pytest.mark.parametrize("name, bound", [("FP32", 1e-5), ("FP16", 1e-3), ("INT8", 2e-2)])
def test_real_engines(s, made, tmp_path, name, bound):
    model, _, unseen, protos = made
    onnx.save(protos[name], tmp_path / "model.onnx")
    plan = importlib.import_module("build_engine").build_from_onnx(tmp_path / "model.onnx", [s.precision.SIZES])
    engine = s.trt.Runtime(s.trt.Logger(s.trt.Logger.ERROR)).deserialize_cuda_engine(plan)
    module = importlib.import_module("trt_module").TRTModule(engine, "cuda")
    with torch.no_grad():
        (scores,) = module(unseen.cuda())
        assert gap(scores.cpu().numpy(), model(unseen).numpy()) < bound
