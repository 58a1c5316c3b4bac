"""PyTorch, ONNX, engine, GPU: what each step is tied to, from our snippets."""

import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/deployment"), str(ROOT / "figures")]
from build_engine import PROFILE, trt
from export_onnx import export_onnx
from svg import BLUE, FG, GREEN, ORANGE, RED, arrow, figure, text

OUT = ROOT / "docs/shared/figures/deployment/engine-ties.svg"
OPSET = inspect.signature(export_onnx).parameters["opset"].default
LOW, _, HIGH = PROFILE["image"]


def box(y, color, words, height=56):
    return (
        f'<rect x="6" y="{y}" width="150" height="{height}" rx="8" fill="none" '
        f'stroke="{color}" stroke-width="2.5"/>\n'
        + text(81, y + height / 2 + 6, words, color, 15, 700)
    )


def notes(y, *lines):
    return "".join(
        text(172, y + 23 * i, words, FG, 14.5, 400, "start") for i, words in enumerate(lines)
    )


def draw():
    shape = lambda s: "×".join(map(str, s))
    out = text(172, 20, ("这一步绑定了什么", "what this step is tied to"), FG, 15, 700, "start")
    out += box(34, BLUE, ("PyTorch 模型", "PyTorch model"))
    out += notes(57, ("Python、torch 的版本", "Python, the version of torch"))
    out += arrow((81, 92), (81, 122), FG)
    out += box(124, GREEN, ("ONNX 文件", "ONNX file"))
    out += notes(
        140,
        (
            f"opset {OPSET}；动态轴：batch、height、width",
            f"opset {OPSET}; dynamic axes: batch, height, width",
        ),
        ("不绑定：框架、GPU、操作系统", "not tied to: framework, GPU, OS"),
    )
    out += arrow((81, 182), (81, 212), FG)
    out += box(214, ORANGE, ("引擎文件 plan", "engine file, plan"), 84)
    out += notes(
        228,
        ("TensorRT：版本、GPU 架构、操作系统", "TensorRT: version, GPU architecture, OS"),
        (
            f"RTX 版：{trt.__version__}，Ampere 起",
            f"for RTX: {trt.__version__}, Ampere and later",
        ),
        ("形状范围，两端含：", "shapes, both ends included:"),
        f"{shape(LOW)} … {shape(HIGH)}",
    )
    out += arrow((81, 300), (81, 330), FG)
    out += box(332, RED, ("在 GPU 上运行", "running on a GPU"))
    out += notes(356, ("显卡驱动的版本", "the version of the GPU's driver"))
    return figure(480, 396, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
