"""api_check.py and its parts: what it reports, and what it must not."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import onnxruntime
import pytest
import tensorrt_rtx
import torch

import api_check
from snippets import runnable
from trt_cpp import check_cpp, rows
from trt_names import MARKS, REPLACED, finding, lookup, versions
from trt_python import check_python

SNIPPETS = ["deployment/api_check.py"]
PARTS = ["deployment/trt_names.py", "deployment/trt_types.py", "deployment/trt_calls.py",
         "deployment/trt_classes.py", "deployment/trt_cpp_names.py",
         "deployment/trt_python.py", "deployment/trt_cpp.py",
         "deployment/trt_advice.py", "deployment/trt_also.py", "deployment/trt_added.py",
         "deployment/trt_removed.py"]  # folded into the copy
ROOT = Path(__file__).parents[3]
IMPORT = "import tensorrt as trt\n"


def names(source: str, head: str = IMPORT) -> list[str]:
    """Return what is reported for TensorRT 11, without the line."""
    found = api_check.check((head + source).encode(), ".py")
    return [f.name for f in found]


# The constructs of the old article, in our words: one line each.
OLD_ARTICLE = {
    "flag = trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH": "EXPLICIT_BATCH",
    "trt.Builder(log).max_batch_size = 1": "max_batch_size",
    "builder.create_builder_config().max_workspace_size = 1": "max_workspace_size",
    "builder.build_engine(network, config)": "build_engine",
    "network.add_pooling(x, trt.PoolingType.MAX, (2, 2))": "add_pooling",
    "pool = network.add_pooling_nd(x, t, s)\npool.stride = 2": "stride",
    "engine.num_bindings": "num_bindings",
    "len(engine)": "__len__",
    "engine.get_binding_index('x')": "get_binding_index",
    "engine.binding_is_input(0)": "binding_is_input",
    "engine.get_profile_shape(0, 'x')": "get_profile_shape",
    "context.get_binding_shape(1)": "get_binding_shape",
    "context.set_binding_shape(0, s)": "set_binding_shape",
    "context.execute_async_v2(b, s)": "execute_async_v2",
}


@pytest.mark.claim(
    zh="旧文用到的 14 个 TensorRT 8 写法（Python），每一个都报出来，并给出新写法",
    en="Each of 14 TensorRT 8 constructs of the old article (Python) is reported, with its new line",
    against_zh="逐个手写的期望名字；tensorrt_rtx 的真实类上确实没有这个名字",
    against_en="the name expected of each, written by hand; the real classes of tensorrt_rtx lack it",
)
@pytest.mark.parametrize("line, name", OLD_ARTICLE.items())
def test_the_old_article_is_reported(line, name):
    assert names(line) == [name]
    (found,) = check_python(IMPORT + line)
    assert found.line == 1 + line.count("\n") + 1 and found.new is not None
    assert not hasattr(getattr(tensorrt_rtx, found.owner.split(" ")[0]), name)


@pytest.mark.parametrize("line, expected", [
    ("import tensorrt\ntensorrt.UffParser()", ["UffParser"]),
    ("import tensorrt as T\nT.BuilderFlag.INT8", ["INT8"]),
    ("import tensorrt_rtx as T\nT.BuilderFlag.INT8", ["INT8"]),
    ("from tensorrt import BuilderFlag as F\nF.FP16", ["FP16"]),
    ("from tensorrt import IInt8EntropyCalibrator2", ["IInt8EntropyCalibrator2"]),
    ("from tensorrt import Builder\nb = Builder(log)\nb.max_batch_size = 1", ["max_batch_size"]),
    ("import tensorrt as trt\nwith trt.Builder(l) as b, b.create_network(0) as n:\n"
     "    n.add_convolution(x, 8, k, w)", ["add_convolution"]),
    ("import tensorrt as trt\nfor layer in network:\n    layer.precision = 1", ["precision"]),
    ("import tensorrt as trt\nnetwork[0].set_output_type(0, t)", ["set_output_type"]),
    ("import tensorrt as trt\nnetwork.get_layer(0).precision", ["precision"]),
    ("import tensorrt as trt\nnetwork.add_input('x', t, s).dynamic_range = r",
     ["dynamic_range"]),
    ("import tensorrt as trt\nconv = network.add_convolution_nd(a)\nconv.get_output(0)"
     ".dynamic_range = r", ["dynamic_range"]),
    ("import tensorrt as trt\ndef f(e: trt.ICudaEngine):\n    return len(e)", ["__len__"]),
    ("import tensorrt as trt\nclass A:\n    def go(self):\n"
     "        self.e = self.r.deserialize_cuda_engine(p)\n"
     "        return len(self.e)", ["__len__"]),
    ("import tensorrt as trt\nclass A:\n    def go(self):\n        self.engine.max_batch_size",
     ["max_batch_size"]),
    ("import tensorrt as trt\nF = trt.BuilderFlag\nF.FP16", ["FP16"]),
    ("def run(thing):\n    return thing.get_binding_shape(0)", ["get_binding_shape"]),
    ("import tensorrt as trt\nengine.create_execution_context().active_optimization_profile = 0",
     ["active_optimization_profile="]),
    ("import tensorrt as trt\nnetwork.get_output(0).dtype = trt.float16\nnetwork.get_output(0).dtype",
     ["dtype="]),
    ("import tensorrt as trt\nnetwork.add_quantize(x, s)\nnetwork.add_dequantize(x, s)\n"
     "network.add_quantize(x, s, trt.int8)", ["add_quantize(x, scale)", "add_dequantize(x, scale)"]),
    ("import tensorrt as trt\nbuilder.max_workspace_size = 1\nbuilder.fp16_mode = True\n"
     "builder.build_cuda_engine(n)", ["max_workspace_size", "fp16_mode", "build_cuda_engine"]),
    ("import tensorrt as trt\nsomething.get_tensor_profile_shape(0, 'x')",
     ["get_tensor_profile_shape(index, name)"]),
    ("import tensorrt as trt\nengine.get_tensor_profile_shape(i, 'x')",
     ["get_tensor_profile_shape(index, name)"]),
    ("import tensorrt as trt\nc: trt.IBuilderConfig = f()\nc.max_workspace_size",
     ["max_workspace_size"]),
    ("import tensorrt as trt\ndef f(b: 'trt.Builder'):\n    b.max_batch_size",
     ["max_batch_size"]),
    ("import tensorrt as trt\ndef f(e: trt.ICudaEngine | None, b: Optional[trt.Builder]):\n"
     "    return len(e), b.max_batch_size", ["__len__", "max_batch_size"]),
    ("import tensorrt as trt\nnetwork.get_input(0).dynamic_range = r", ["dynamic_range"]),
    ("import tensorrt as trt\nengine['images']", ["__getitem__(name)"]),
    ("from tensorrt import *\nb = Builder(log)\nb.max_batch_size = 1\nBuilderFlag.FP16\n"
     "class C(IInt8EntropyCalibrator2): ...",
     ["max_batch_size", "FP16", "IInt8EntropyCalibrator2"]),
    ("import tensorrt as trt\ngetattr(builder, 'build_engine')(n)\nbuilder.build_engine(n)",
     ["build_engine", "build_engine"]),
    ("import tensorrt as trt\n(context\n .execute_async_v2(b, s))", ["execute_async_v2"]),
])
def test_however_a_name_is_reached(line, expected):
    assert names(line, "") == expected


QUIET = [
    "conv.stride, conv.padding, conv.kernel_size",
    "layer = torch.nn.Conv2d(3, 8, 3)\nlayer.stride",
    "cursor.execute('select 1'); t.get_shape(); tensor.precision; a.free()",
    "args.max_batch_size; args.max_workspace_size; self.model.build_engine()",
    "config = yaml.safe_load(f)\nconfig.max_workspace_size",
    "def f(config: dict):\n    return config.max_workspace_size",
    "class Net:\n    def add_pooling(self): ...\n    def go(self): self.add_pooling()",
    "class A:\n    def __init__(self):\n        self.num_bindings = 2\n"
    "    def go(self): return self.num_bindings",
    "import common\ncommon.add_convolution(x)",
    "getattr(engine, 'num_bindings', 0); getattr(model, 'stride'); getattr(engine, name)",
    "engine = {}\nengine['images']; engine[0]; table['images']",
    "def f(b: 'any text', c: 'int | None', d: list[int]):\n    b.max_batch_size, c.stride",
    "if hasattr(engine, 'num_bindings'):\n    n = engine.num_bindings",
    "engine.get_tensor_profile_shape('x', 0)",
    "engine.get_tensor_profile_shape(name, index)",
    "len(names); engine.num_io_tensors; engine.get_tensor_mode(name)",
    "pool = network.add_pooling_nd(x, t, s)\npool.stride_nd = (2, 2)",
    "trt.BuilderFlag.TF32; trt.MemoryPoolType.WORKSPACE; trt.float16",
    "import numpy as np\nnp.FP16; DataType.FP16; Config.DEFAULT",
    "class My(trt.IOutputAllocator):\n    def notify_shape(self, n, s): ...",
    "text = 'engine.binding_is_input'  # engine.binding_is_input",
]


@pytest.mark.parametrize("source", QUIET)
def test_what_is_not_tensorrt_is_left_alone(source):
    assert names(source) == []


@pytest.mark.claim(
    zh="与 TensorRT 无关的 stride、padding、execute 等同名属性不误报：torch.nn 的一百多个文件、tensorrt_rtx 自己的文件，一条都没有",
    en="Attributes named stride, padding, execute and so on that are not TensorRT's raise no alarm: none in over 100 files of torch.nn and in tensorrt_rtx's own",
    against_zh="这些库的源码，本身不用 TensorRT 8 的名字",
    against_en="the sources of these libraries, which use no TensorRT 8 name",
)
def test_no_false_alarm_in_libraries():
    folders = [Path(torch.__file__).parent / "nn", Path(tensorrt_rtx.__file__).parent]
    files = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(files) > 100
    for path in files:
        assert api_check.check(path.read_bytes(), ".py") == [], path


@pytest.mark.claim(
    zh="onnxruntime 1.32.0 自带的 Stable Diffusion 脚本里，找出 5 行 TensorRT 8 的写法",
    en="Finds 5 lines of TensorRT 8 in the Stable Diffusion script that onnxruntime 1.32.0 ships",
    against_zh="把文件当文本，逐行数出的同一批名字",
    against_en="the same names, counted line by line as text",
)
def test_a_real_file_that_was_left_behind():
    folder = Path(onnxruntime.__file__).parent / "transformers/models/stable_diffusion"
    path = folder / "engine_builder_tensorrt.py"
    found = check_python(path.read_bytes())
    old = ("create_execution_context_without_device_memory", "get_binding_shape",
           "get_binding_dtype", "binding_is_input", "set_binding_shape")
    lines = path.read_text("utf-8").split("\n")
    expected = [(n, name) for n, line in enumerate(lines, 1) for name in old if name + "(" in line]
    assert [(f.line, f.name) for f in found] == expected and len(found) == 5


def test_our_own_snippets_are_modern():
    for path in (ROOT / "snippets").glob("*/*.py"):
        found = api_check.check(path.read_bytes(), ".py")
        assert bool(found) == path.name.startswith("wrong_old_"), (path, found)


def test_each_wrong_snippet_is_reported_and_each_right_one_is_not():
    wrong = {
        "bindings": "binding_is_input", "workspace": "max_workspace_size",
        "build_engine": "build_engine", "explicit_batch": "EXPLICIT_BATCH",
        "fp16_flag": "FP16", "profile_shape": "get_tensor_profile_shape(index, name)",
    }
    for stem, name in wrong.items():
        source = (ROOT / f"snippets/deployment/wrong_old_{stem}.py").read_text("utf-8")
        assert names(source, "") == [name]


CPP = """\
#include <NvInfer.h>
// old->destroy(); config->setMaxWorkspaceSize(1);
IBuilder* builder = createInferBuilder(logger);
builder->setMaxBatchSize(1);
auto flag = NetworkDefinitionCreationFlag::kEXPLICIT_BATCH;
auto network = builder->createNetworkV2(1U << int(flag));
nvinfer1::IBuilderConfig* config = builder->createBuilderConfig();
config->setMaxWorkspaceSize(1 << 28);
config->setFlag(BuilderFlag::kFP16);
auto *engine = builder->buildEngineWithConfig(*network, *config);
engine = runtime->deserializeCudaEngine(data.get(), size,
                                        nullptr);
auto context = engine->createExecutionContext();
int i = engine->getBindingIndex("x");
context->enqueue(1, buffers, stream, nullptr);
context->enqueueV2(buffers, stream, nullptr);
context->destroy(); window->destroy(); queue.enqueue(3); task.execute();
std::unique_ptr<ICudaEngine> other{};
context->enqueueV3(stream); runtime->deserializeCudaEngine(data, size);
puts("engine->getNbBindings()"); network->addPoolingNd(*x, type, size);
"""


@pytest.mark.claim(
    zh="C++：destroy()、enqueue、三个参数的 deserializeCudaEngine 等按行报出；注释、字符串、别的对象的 destroy() 不报",
    en="C++: destroy(), enqueue, deserializeCudaEngine with three arguments and so on are reported by line; comments, strings and destroy() of other objects are not",
    against_zh="逐行手写的期望",
    against_en="what is expected, written by hand line by line",
)
def test_cpp_is_checked_by_name():
    assert [(f.line, f.name) for f in check_cpp(CPP)] == [
        (4, "setMaxBatchSize"), (5, "kEXPLICIT_BATCH"), (8, "setMaxWorkspaceSize"),
        (9, "BuilderFlag::kFP16"), (10, "buildEngineWithConfig"),
        (11, "deserializeCudaEngine with 3 arguments"), (14, "getBindingIndex"),
        (15, "enqueue"), (16, "enqueueV2"), (17, "destroy")]
    assert all(f.new is not None for f in check_cpp(CPP))


MORE_CPP = {  # one line each: what is reported, for a file that includes TensorRT
    "ILayer* l; l->setPrecision(t); l->setOutputType(0, t);": ["setOutputType", "setPrecision"],
    "auto l = network->getLayer(0); l->precisionIsSet();": ["precisionIsSet"],
    "builder->platformHasFastInt8();": ["platformHasFastInt8"],
    "f(BuilderFlag::kBF16, DataType::kBF16);": ["BuilderFlag::kBF16"],
    "f(BuilderFlag::kSTRICT_TYPES);": ["BuilderFlag::kSTRICT_TYPES"],
    "f(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);": ["BuilderFlag::kOBEY_PRECISION_CONSTRAINTS"],
    "class C : public IInt8EntropyCalibrator2 {};": ["IInt8EntropyCalibrator2"],
    "e->getBindingFormat(0);": ["getBindingFormat"], "e->isShapeBinding(0);": ["isShapeBinding"],
    "IBuilder* b; b->getMaxBatchSize();": ["getMaxBatchSize"], "b->getMaxBatchSize();": [],
    "e->hasImplicitBatchDimension();": ["hasImplicitBatchDimension"],
    "e->createExecutionContextWithoutDeviceMemory();":
        ["createExecutionContextWithoutDeviceMemory"],
    "c->allInputShapesSpecified();": ["allInputShapesSpecified"],
    "auto c = n->addConvolutionNd(x); c->setStride(s); c->setPadding(p);":
        ["setPadding", "setStride"],
    "auto c = n->addSlice(x); c->setStride(s); t->getLocation();": [],
    "IPoolingLayer& p; p.setWindowSize(s);": ["setWindowSize"],
    "n->addDeconvolution(x); n->addRNNv2(x);": ["addDeconvolution", "addRNNv2"],
    "INetworkDefinition* n; n->addPadding(x);": ["addPadding"],
    "nvuffparser::createUffParser();": ["createUffParser"],
    "e->getProfileShape(n, 0, s); c->getShape(0); b->buildSerializedNetwork(n, c);": [],
    "IBuilder* b; b->buildCudaEngine(n);": ["buildCudaEngine"],
    "c->setOptimizationProfile(0); c->setOptimizationProfileAsync(0, s);": ["setOptimizationProfile"],
    "n->getOutput(0)->setType(t); widget->setType(t);": ["setType"],
    "IWidget* w; w->destroy(); std::shared_ptr<ITask> t; t->execute(3);": [],
    "std::unique_ptr<ICudaEngine, Del> e; e->destroy();": ["destroy"],
    "auto b = createInferBuilder(l); b->destroy(); auto t = x.createParser(); t->destroy();":
        ["destroy"],
}


@pytest.mark.claim(
    zh="C++ 表之外，还认得按 C++ 习惯拼写的 Python 旧名字，例如 setPrecision、getBindingFormat、BuilderFlag::kBF16；别的类的 destroy()、execute() 不报",
    en="Beyond its C++ table it knows the Python names that are gone as C++ spells them, such as setPrecision, getBindingFormat, BuilderFlag::kBF16; destroy() and execute() of other classes are left alone",
    against_zh="逐行手写的期望",
    against_en="what is expected of each line, written by hand",
)
@pytest.mark.parametrize("line, expected", MORE_CPP.items())
def test_more_cpp_names(line, expected):
    assert [f.name for f in check_cpp('#include "NvInfer.h"\n' + line)] == expected
    if not any(w in line for w in ("create", "allInput", "destroy", "Cuda", "Profile", "setType")):
        assert check_cpp(line) == []  # nothing says that it is TensorRT's


def test_the_new_cpp_names_are_in_the_real_library():
    """Their names are texts in libtensorrt_rtx; the old ones are not."""
    import mmap

    import tensorrt_rtx_libs
    path = next(Path(tensorrt_rtx_libs.__file__).parent.glob("libtensorrt_rtx.so*"))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        names = {new.partition("(")[0] for _, _, new in rows() if "(" in new}
        assert len(names) == 18
        for new in names:
            assert text.find(new.encode()) > 0, new
        for old in (b"setMaxWorkspaceSize", b"enqueueV2", b"getBindingIndex"):
            assert text.find(old) < 0, old


@pytest.mark.parametrize("target, expected", [
    ("8", ["STRONGLY_TYPED", "device_memory_size_v2"]), ("10", ["device_memory_size_v2"]),
    ("11", ["FP16"])])
def test_another_target(target, expected):
    source = (IMPORT + "trt.BuilderFlag.FP16\ntrt.NetworkDefinitionCreationFlag.STRONGLY_TYPED\n"
              "engine.device_memory_size_v2\n").encode()
    assert [f.name for f in api_check.check(source, ".py", target)] == expected


CREATED = "builder = trt.Builder(log)\nbuilder.create_network({})\n"


@pytest.mark.claim(
    zh="8.6 上 create_network(0) 是隐式批次，--for 8 报出来；对 10、11 不报",
    en="On 8.6 create_network(0) makes the batch implicit, and --for 8 reports it; for 10 and 11 it is right",
    against_zh="逐个手写的期望",
    against_en="what is expected of each, written by hand",
)
@pytest.mark.parametrize("flag, reported", [
    ("", 1), ("0", 1), ("flags=0", 1), ("flags", 0), ("1", 0), ("1 << 0", 0), ("10", 0)])
def test_an_implicit_batch_is_reported_for_8(flag, reported):
    source = (IMPORT + CREATED.format(flag)).encode()
    found = api_check.check(source, ".py", "8")
    assert [f.name for f in found] == ["create_network(0) for an explicit batch"] * reported
    assert all("EXPLICIT_BATCH" in f.new for f in found)
    assert not api_check.check(source, ".py", "10") + api_check.check(source, ".py", "11")
    assert not api_check.check(CREATED.format(flag).encode(), ".py", "8")  # no TensorRT in it
    cpp = f"builder->createNetworkV2({flag or '0U'});".encode()
    assert len(api_check.check(cpp, ".cpp", "8")) == (flag in ("", "0"))
    assert not api_check.check(cpp, ".cpp", "10")


@pytest.mark.parametrize("line, target, said", [
    ("engine.get_tensor_profile_shape(0, 'x')", "11",
     "get_tensor_profile_shape(index, name) (wrong from TensorRT 8 on)\n"
     "    engine.get_tensor_profile_shape(name, 0)"),
    ("engine.device_memory_size_v2", "8", "(only TensorRT 10.16, 11)\n    not in 8.6"),
    ("engine.device_memory_size_v2", "10", "(only TensorRT 10.16, 11)\n    not in 10.0"),
    ("trt.BuilderFlag.WEIGHTLESS", "8", "(only TensorRT 10)\n    not in 8.6"),
    ("trt.BuilderFlag.WEIGHTLESS", "11", "(only TensorRT 10)\n    see NVIDIA's migration guide"),
    ("trt.IInt8EntropyCalibrator2", "11", "extra_options={\"ActivationSymmetric\": True, \"QuantizeBias\": False})"),
    ("context.set_shape_input(0, v)", "11", "context.set_tensor_address(name, host_pointer)"),
    ("builder.max_batch_size", "10", "(only TensorRT 8)\n    delete it"),
])
def test_what_is_said_of_a_name(line, target, said):
    (found,) = api_check.check((IMPORT + line).encode(), ".py", target)
    assert api_check.report("a.py", found, target).endswith(said)


@pytest.mark.parametrize("name, text, status, said", [
    ("a.cpp", "int x;", 0, "a.cpp: nothing to change among the names it knows; a compiler finds"),
    ("a.py", "x = 1\n", 0, "a.py: nothing to change"),
    ("a.py", IMPORT + "trt.BuilderFlag.FP16\n", 1, "a.py: 1 to change"),
    ("a.cpp", "builder->setMaxBatchSize(1);", 1, "a.cpp:1: setMaxBatchSize (only TensorRT 8)"),
    ("a.py", "if x:\n\ty = 1\n        z = 2\n", 2, "a.py:3: not Python 3: inconsistent use of tabs"),
    ("a.py", "x = 1 + \\ \n    2\n", 2, "a.py:1: not Python 3: unexpected character after line"),
    ("a.py", "print 'x'\n", 2, "a.py:1: not Python 3: Missing parentheses"),
    ("a.py", "x = '\0'", 2, "a.py"),
    ("a.ipynb", "{}", 2, "a.ipynb: cannot be read: expected .py or .cpp, .h, .cu; found '.ipynb'"),
    ("a.py", None, 2, "a.py: cannot be read: [Errno 2]"),
])
def test_a_reader_s_file(tmp_path, monkeypatch, capsys, name, text, status, said):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(name).write_text(text, "utf-8")
    assert api_check.main([name]) == status
    assert said in capsys.readouterr().out


def test_a_file_in_another_encoding_is_read(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: gbk\n# \xd6\xd0\nimport tensorrt as trt\ntrt.UffParser\n")
    assert [f.line for f in check_python(path.read_bytes())] == [4]


def test_the_copy_is_one_file_that_checks_others(tmp_path):
    """Copy runnable, saved alone, reads a reader's file."""
    copy, old = tmp_path / "api_check.py", tmp_path / "old.py"
    copy.write_text(runnable(ROOT / "snippets/deployment/api_check.py"), "utf-8")
    old.write_text(IMPORT + "config.max_workspace_size = 1 << 30\n")
    done = subprocess.run([sys.executable, "-I", copy, "old.py"], cwd=tmp_path, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout == (
        "old.py:2: IBuilderConfig.max_workspace_size (only TensorRT 8)\n"
        "    config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, 1 << 30)\n"
        "old.py: 1 to change\n")


# What tensorrt_rtx, TensorRT 11.4's sibling, leaves out of the names added since 8.6.
NOT_IN_RTX = {"build_engine_with_config", "remote_auto_tuning_config", "add_plugin",
              "add_plugin_v3", "IPluginV3QuickAOTBuild", "ISymExpr", "ISymExprs",
              "KernelLaunchParams", "QuickPluginCreationRequest",
              "PREFER_AOT_PYTHON_PLUGINS", "PREFER_JIT_PYTHON_PLUGINS"}


@pytest.mark.claim(
    zh="表的最后一列（11.4）逐个名字与已安装的 tensorrt_rtx 1.7.1 核对：删掉的都没有，新增的除 11 个插件与远程调优的名字、分配器的方法之外都有",
    en="The table's last column (11.4) against the installed tensorrt_rtx 1.7.1, name by name: it lacks all that were removed, and has all that were added but 11 names for plugins and remote tuning and the allocators' methods",
    against_zh="tensorrt_rtx 的真实类",
    against_en="the real classes of tensorrt_rtx",
    snippets=["deployment/api_check.py"],
)
def test_the_table_against_the_real_module():
    assert len(MARKS) > 380
    for (owner, name), marks in MARKS.items():
        where = getattr(tensorrt_rtx, owner, None) if owner else tensorrt_rtx
        if name.endswith("="):
            found = getattr(getattr(where, name[:-1], None), "fset", None)
            assert bool(found) == (marks[-1] == "x") or owner.startswith("IPlugin"), (owner, name)
        elif marks[-1] == ".":
            assert not hasattr(where, name), (owner, name)
        elif name not in NOT_IN_RTX and owner not in ("IGpuAllocator", "IGpuAsyncAllocator"):
            assert hasattr(where, name), (owner, name)


def test_no_part_hides_a_name_of_another():
    """In the copy all parts share one module; the same constant twice would be a fault."""
    names = []
    for part in [*SNIPPETS, *PARTS]:
        for node in ast.parse((ROOT / "snippets" / part).read_text("utf-8")).body:
            if isinstance(node, ast.Assign):
                names += [target.id for target in node.targets]
    assert len(names) == len(set(names)) > 15


def test_versions_and_bases():
    assert versions("xxx..") == ["8", "10"] and versions("..x..") == ["10.16"]
    assert versions(".....") == [] and versions("....x") == ["11.4"]
    assert lookup("IPoolingLayer", "precision") == ("ILayer", "xxx..")
    assert lookup("IPoolingLayer", "stride_nd") is None
    assert finding(3, "IPoolingLayer", "stride").new == "pool.stride_nd = (2, 2)"
    assert finding(3, "IBuilderConfig", "min_timing_iterations").new is None


def test_every_replacement_is_for_a_name_that_is_gone():
    for (owner, name), (old, new) in REPLACED.items():
        assert MARKS[owner, name][-1] == "." and old != new
        short = old.replace("Flag.", "trt.Flag.") if "trt." not in old else old
        assert name.rstrip("=") in short or name == "__len__"
        if new:
            assert names(new) == [], new


def test_the_shell_line_of_the_article(tmp_path):
    """`check_old.sh`, run as a whole beside a copy of the checker."""
    (tmp_path / "api_check.py").write_text(runnable(ROOT / "snippets/deployment/api_check.py"))
    (tmp_path / "build.py").write_text(api_check.EXAMPLE)
    (tmp_path / "infer.cpp").write_text(CPP)
    script = ROOT / "snippets/deployment" / "check_old.sh"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", script], cwd=tmp_path, text=True, capture_output=True,
                          timeout=60, env={**os.environ, "PATH": path})
    assert done.returncode == 1, done.stderr
    assert "build.py: 13 to change" in done.stdout and "infer.cpp: 9 to change among" in done.stdout
    shown = (ROOT / "snippets/deployment/api_check.out").read_text("utf-8")
    assert shown.replace("example.py:", "build.py:") in done.stdout
