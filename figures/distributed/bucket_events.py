"""Buckets that fill and all-reduces that start, as bucket_events.py printed."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, figure, line, text

OUT = ROOT / "docs/shared/figures/distributed/bucket-events.svg"
LEFT, CELL, END = 12, 50, 466
COLORS = [BLUE, ORANGE, GREEN]


def recorded(step):
    """The gradients in order; per bucket its parameters and when it starts."""
    printed = (ROOT / "snippets/distributed/bucket_events.out").read_text()
    row = re.search(rf"^step {step} +(.*)$", printed, re.M)[1]
    gradients, buckets = [], []
    for event in re.findall(r"\[.*?\]|\w", row):
        if event.startswith("["):
            buckets.append((event[1:-1].split(), len(gradients)))
        else:
            gradients.append(event)
    return gradients, buckets


def box(x, y, w, h, color, fill="none", dash=""):
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="6" '
        f'fill="{fill}" stroke="{color}" stroke-width="2"{extra}/>\n'
    )


def panel(top, step, words):
    gradients, buckets = recorded(step)
    out = text(LEFT, top, words, FG, 16, 600, "start")
    for i, name in enumerate(gradients):
        color = next(
            c
            for c, (names, _) in zip(COLORS, buckets, strict=False)
            if name in names
        )
        x = LEFT + CELL * i
        out += box(x + 3, top + 14, CELL - 6, 34, color, color)
        out += text(x + CELL / 2, top + 37, name, BG, 17, 600)
    y = top + 58
    for color, (names, start) in zip(COLORS, buckets, strict=False):
        first = min(gradients.index(name) for name in names)
        x, edge = LEFT + CELL * first, LEFT + CELL * start
        out += box(x + 3, y, edge - x - 6, 30, color, dash="5 4")
        out += text((x + edge) / 2, y + 20, ("装桶", "fills"), FG, 15)
        out += box(edge + 3, y, END - edge - 3, 30, color, color)
        out += text((edge + END) / 2, y + 20, "all-reduce …", BG, 15, 600)
        y += 38
    bottom = y + 2
    out += line([(END + 4, top + 14), (END + 4, bottom)], MUTED, 2, "3 4")
    return out, bottom


def draw():
    words = (
        "第 0 步：一个桶，等最后一个梯度",
        "Step 0: one bucket, until the last gradient",
    )
    out, bottom = panel(22, 0, words)
    words = (
        "第 1 步起：装满一个，发出一个",
        "From step 1: each starts when it is full",
    )
    more, bottom = panel(bottom + 34, 1, words)
    out += more
    words = ("事件先后，不是时间；何时结束没有记录", "order, not time; ends not recorded")
    out += text(LEFT, bottom + 20, words, FG, 14, anchor="start")
    words = ("backward() 返回", "backward() returns")
    out += text(END + 8, bottom + 20, words, FG, 14, anchor="end")
    return figure(480, bottom + 30, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
