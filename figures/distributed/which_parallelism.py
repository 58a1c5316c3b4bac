"""Which parallelism to choose: four questions, from one GPU to many nodes."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, RED, arrow, figure, text

OUT = ROOT / "docs/shared/figures/distributed/which-parallelism.svg"
LEFT, ANSWER, PITCH = 4, 292, 128  # questions, answers, from row to row
ROWS = [  # two lines of question, colour, answer, what it splits
    (
        ("16 字节 × 参数量，加上激活：", "16 bytes × parameters"),
        ("一块 GPU 放得下吗？", "+ activations: one GPU?"),
        BLUE,
        "DDP",
        ("切分：数据", "splits the batch"),
    ),
    (
        ("分到所有 GPU 上，", "Split over all GPUs, with"),
        ("每次凑齐一层，放得下吗？", "one layer whole: fits?"),
        GREEN,
        "FSDP2",
        ("切分：数据与全部状态", "splits batch and state"),
    ),
    (
        ("单层就放不下，或者", "A layer alone too large, or"),
        ("每卡分不到一个样本？", "under a sample per GPU?"),
        ORANGE,
        ("机内张量并行", "TP, in a node"),
        ("切分：每层的宽度", "splits each layer"),
    ),
    (
        ("还放不下，", "Still too large, and the"),
        ("而机器之间的网络慢？", "network between nodes slow?"),
        RED,
        ("机间流水线", "PP, over nodes"),
        ("切分：层的先后", "splits by depth"),
    ),
]


def box(x, y, w, h, stroke, fill="none", extra=""):
    return (
        f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="8" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="2" {extra}/>\n'
    )


def draw():
    out = ""
    for i, (first, second, color, answer, splits) in enumerate(ROWS):
        y = 6 + PITCH * i
        out += box(LEFT, y, 232, 72, FG)
        out += text(LEFT + 116, y + 31, first, FG, 16)
        out += text(LEFT + 116, y + 54, second, FG, 16)
        out += arrow((LEFT + 234, y + 36), (ANSWER - 2, y + 36), color, 2.5)
        out += text(LEFT + 259, y + 26, ("是", "yes"), color, 15, 600)
        out += box(ANSWER, y, 184, 72, color, color)
        out += text(ANSWER + 92, y + 31, answer, BG, 18, 700)
        out += text(ANSWER + 92, y + 56, splits, BG, 15)
        if i < len(ROWS) - 1:
            x = LEFT + 116
            out += arrow((x, y + 74), (x, y + PITCH - 2), MUTED, 2.5)
            label = ("否", "no") if i < 2 else ("叠加", "and on top")
            out += text(x + 12, y + 106, label, FG, 15, 600, "start")
    y = 6 + PITCH * len(ROWS) - 36
    out += box(LEFT, y, 472, 44, MUTED, extra='stroke-dasharray="6 5"')
    words = (
        "机器会坏、会增减：以上每一种都由 torchrun 弹性重启",
        "Nodes fail or come and go: torchrun restarts any of them",
    )
    out += text(240, y + 28, words, FG, 16)
    return figure(480, y + 50, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
