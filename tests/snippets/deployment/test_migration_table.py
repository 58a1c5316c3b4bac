"""migration_table.py: each row of the page's tables, against the real classes."""

import re

import pytest
import tensorrt_rtx

import migration_table
from migration_table import list_versions, new_marks
from trt_names import MARKS, REPLACED
from trt_removed import REMOVED

SNIPPETS = ["deployment/migration_table.py"]


@pytest.fixture
def sections(capsys):
    migration_table.main()
    text = capsys.readouterr().out
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    return {name: body.strip().split("\n") for name, body in re.findall(
        r"# --8<-- \[start:(\w+)\]\n(.*?)# --8<-- \[end:\1\]", text, re.S)}


@pytest.mark.claim(
    zh="对照表里每一行 Python 新写法用到的名字，tensorrt_rtx 的真实类上都有；旧名字都没有",
    en="Of each Python row of the table, tensorrt_rtx's real classes have all names of the new line and lack the old name",
    against_zh="tensorrt_rtx 的真实类",
    against_en="the real classes of tensorrt_rtx",
    snippets=["deployment/api_check.py"],
)
def test_each_new_line_s_names_are_real():
    every = set(dir(tensorrt_rtx)) | {
        name for cls in vars(tensorrt_rtx).values() if isinstance(cls, type) for name in dir(cls)}
    for (owner, name), (_, new) in REPLACED.items():
        assert not hasattr(getattr(tensorrt_rtx, owner), name)
        names = re.findall(r"(?<=\.)[a-zA-Z]\w+", re.sub(r'"[^"]*"', "", new))
        assert set(names) <= every, (new, set(names) - every)


def test_every_row_is_there(sections):
    assert len(sections["python"]) == 2 + len(REPLACED) and len(REPLACED) == 36
    assert len(sections["cpp"]) == 2 + 26
    for row in (
        "| − `config.max_workspace_size = 1 << 30` **8**<br>+ `config.set_memory_pool_limit("
        "trt.MemoryPoolType.WORKSPACE, 1 << 30)` **8, 10, 11** |",
        "| − `config.set_flag(trt.BuilderFlag.FP16)` **8, 10**<br>+ `model = convert_float_to_float16("
        "model, keep_io_types=True)` **10†, 11** |",
        "| − `builder.max_batch_size = 8` **8**<br>+ {{（删掉这一行）|(delete the line)}} |",
        "| − `builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH))`"
        " **8, 10**<br>+ `builder.create_network(0)` **10, 11** |",
    ):
        assert row in sections["python"]
    assert "| − `buildEngineWithConfig` **8, 10.16, 11**<br>+ `buildSerializedNetwork(*network, " \
        "*config)` |" in sections["cpp"]
    assert "| − `BuilderFlag::kFP16` **8, 10**<br>+ {{把 ONNX 模型转换成 FP16|convert the ONNX " \
        "model to FP16}} |" in sections["cpp"]
    for name, rows in sections.items():
        columns = 1 + (name == "removed")
        assert {row.count(" |") for row in rows} == {columns}
        assert rows[1] == "| --- " * columns + "|"


def test_the_numbers_of_the_article(sections):
    """36 old lines, 33 with a new one, 23 of these fit for 8.6; 82 and 66 names."""
    rows = sections["python"][2:]
    new = [row for row in rows if "(delete the line)" not in row]
    on_8 = [row for row in new if "**8, " in row.rsplit("<br>", 1)[1]]
    assert (len(rows), len(new), len(on_8)) == (36, 33, 23)
    later = [row for row in new if row not in on_8]
    assert sum("†" in row for row in later) == 6  # precision
    assert sum("EXPLICIT_BATCH" in row for row in later) == 1
    assert sum("memory" in row.lower() for row in later) == 2
    names = {since: sum(row.count("`") // 2 for row in sections["removed"][2:]
                        if row.startswith(f"| {since} |")) for since in ("10", "11")}
    assert names == {"10": 82, "11": 66}


def test_the_removed_names_are_those_of_the_table(sections):
    shown = set(re.findall(r"`(\w+)`", " ".join(sections["removed"][2:])))
    mine = {name for (owner, name), marks in MARKS.items()
            if marks[-1] == "." and "x" in marks and name.isidentifier() and owner not in migration_table.YOURS}
    assert shown == mine and len(sections["removed"]) > 25
    assert {n for n in shown if n in REMOVED} == shown
    assert "| 10 | **BuilderFlag** `ENABLE_TACTIC_HEURISTIC` `STRICT_TYPES` |" in sections["removed"]
    assert any(row.startswith("| 11 | **IBuilderConfig** `algorithm_selector` ")
               and "int8_calibrator" in row for row in sections["removed"])


@pytest.mark.claim(
    zh="表里的 quantize_static 一行照原样执行，TensorRT 构建得出来；去掉 extra_options 就不行",
    en="TensorRT builds what the table's quantize_static line makes, executed as it stands; without extra_options it does not",
    against_zh="tensorrt_rtx 真实构建",
    against_en="a real build with tensorrt_rtx",
    snippets=["deployment/api_check.py"],
)
def test_the_quantise_line_makes_a_model_that_builds(tmp_path, monkeypatch):
    import onnx
    from onnxruntime.quantization import quantize_static

    from build_or_why import build_or_why
    from qdq_int8 import BATCHES, TINY, Batches
    monkeypatch.chdir(tmp_path)
    line = REPLACED["BuilderFlag", "INT8"][1]
    assert line == REPLACED["IBuilderConfig", "int8_calibrator"][1]
    said = []
    for text in (line, line.partition(", extra_options")[0] + ")"):
        onnx.save(TINY, "model.onnx")
        exec(text, {"quantize_static": quantize_static, "reader": Batches("x", BATCHES)})
        said.append(build_or_why(onnx.load("qdq.onnx")))
    assert said[0] == "builds" and "must have type" in said[1]


@pytest.mark.parametrize("line, versions", [
    ("engine.num_io_tensors", "8, 10, 11"), ("engine.device_memory_size_v2", "10.16, 11"),
    ("f(trt.ExecutionContextAllocationStrategy.USER_MANAGED)", "10, 11")])
def test_since_when_a_new_line_works(line, versions):
    assert list_versions(new_marks(line)) == versions


def test_an_engine_is_indexed_by_number_only():
    """`engine["x"]` is no more; `for name in engine` goes by number."""
    text = tensorrt_rtx.ICudaEngine.__getitem__.__doc__
    assert "arg0: typing.SupportsInt) -> str" in text and "arg0: str" not in text


def test_direct_io_is_not_removed():
    """NVIDIA's Python list for 11.4.0 says that it is."""
    assert hasattr(tensorrt_rtx.BuilderFlag, "DIRECT_IO")
    assert ("BuilderFlag", "DIRECT_IO") not in MARKS
