"""Which axes of each layer's output follow the input, from export_onnx.py."""

import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/deployment"), str(ROOT / "figures")]
from export_onnx import SmallCNN
from svg import BLUE, FG, MUTED, figure, line, text

OUT = ROOT / "docs/shared/figures/deployment/open-axes.svg"
SHAPES = (2, 3, 32, 32), (5, 3, 17, 41)
WORDS = {
    "Conv2d": ("卷积 3×3", "conv 3×3"),
    "MaxPool2d": ("池化 2×2", "pool 2×2"),
    "Linear": ("全连接", "linear"),
}
LEFT, STEP, ROW = (142, 322), 40, 34


def shapes_of(model, shape):
    """[(layer's class name, shape of what it gives)] for one input shape."""
    seen, handles = [], []
    for module in model.modules():
        if type(module).__name__ in WORDS:
            handles.append(
                module.register_forward_hook(
                    lambda m, _, out: seen.append((type(m).__name__, tuple(out.shape)))
                )
            )
    with torch.no_grad():
        model(torch.zeros(shape))
    for handle in handles:
        handle.remove()
    return seen


def draw():
    model = SmallCNN().eval()
    runs = [[("image", shape), *shapes_of(model, shape)] for shape in SHAPES]
    out = text(8, 22, ("输出的形状", "output shape"), FG, 15, 600, "start")
    out += text(LEFT[0] - 8, 22, ("导出时的例子", "at export"), FG, 15, 600, "start")
    out += text(LEFT[1] - 8, 22, ("运行时的输入", "at run time"), FG, 15, 600, "start")
    y = 54
    for (name, one), (_, two) in zip(*runs, strict=True):
        words = WORDS.get(name, ("输入 image", "input image"))
        out += text(8, y, words, FG, 15, 400, "start")
        for left, shape in zip(LEFT, (one, two), strict=True):
            for axis, size in enumerate(shape):
                open_axis = one[axis] != two[axis]
                out += text(
                    left + STEP * axis,
                    y,
                    str(size),
                    BLUE if open_axis else FG,
                    16,
                    700 if open_axis else 400,
                )
        out += line([(8, y + 11), (472, y + 11)], MUTED, 1)
        y += ROW
    y += 4
    out += text(
        8,
        y,
        (
            "蓝：随输入而变（batch、height、width）",
            "blue: follows the input (batch, height, width)",
        ),
        BLUE,
        15,
        600,
        "start",
    )
    out += text(
        8,
        y + 24,
        ("其余：写死在文件里（通道数、类别数）", "the rest: fixed in the file (channels, classes)"),
        FG,
        15,
        400,
        "start",
    )
    return figure(480, y + 36, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
