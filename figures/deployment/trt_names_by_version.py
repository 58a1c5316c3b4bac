"""Which TensorRT has which name, from the tables of trt_names.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/deployment"), str(ROOT / "figures")]
from svg import FG, GREEN, MUTED, RED, figure, line, text
from trt_names import MARKS, SHOWN

OUT = ROOT / "docs/shared/figures/deployment/trt-names-by-version.svg"
OLD = [
    ("ICudaEngine", "binding_is_input"),
    ("IExecutionContext", "execute_async_v2"),
    ("Builder", "build_engine"),
    ("IBuilderConfig", "max_workspace_size"),
    ("BuilderFlag", "FP16"),
    ("IBuilderConfig", "int8_calibrator"),
    ("NetworkDefinitionCreationFlag", "EXPLICIT_BATCH"),
]
NEW = [
    ("ICudaEngine", "get_tensor_mode"),
    ("IExecutionContext", "execute_async_v3"),
    ("Builder", "build_serialized_network"),
    ("IBuilderConfig", "set_memory_pool_limit"),
    ("NetworkDefinitionCreationFlag", "STRONGLY_TYPED"),
    ("ICudaEngine", "device_memory_size_v2"),
    ("OnnxParser", "supports_model_v2"),
]
LEFT, STEP, ROW = 238, 50, 27


def rows(names, top, color, words):
    out = text(4, top + 5, words, color, 15, 600, "start")
    for i, key in enumerate(names):
        y = top + ROW * i
        marks = MARKS.get(key, "x" * len(SHOWN))
        out += text(LEFT - 14, y + 5, key[1], FG, 15, anchor="end")
        first, last = marks.index("x"), marks.rindex("x")
        start, end = LEFT + STEP * first, LEFT + STEP * (last + 1) - 6
        out += line([(LEFT, y), (LEFT + 5 * STEP - 6, y)], MUTED, 1)
        out += line([(start + 5, y), (end - 5, y)], color, 11)
    return out


def draw():
    out = text(
        LEFT - 14, 26, ("TensorRT 版本", "TensorRT"), FG, 15, 600, "end"
    )
    for i, version in enumerate(SHOWN):
        out += text(LEFT + STEP * (i + 0.5) - 3, 26, version, FG, 15, 600)
    out += rows(OLD, 52, RED, ("旧", "old"))
    top = 52 + ROW * len(OLD) + 14
    out += rows(NEW, top, GREEN, ("新", "new"))
    return figure(LEFT + 5 * STEP, top + ROW * len(NEW) - 4, out, 620)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
