"""Rank 0's running mean overwrites rank 1's, as buffers.py printed."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import (
    BLUE,
    FG,
    GREEN,
    ORANGE,
    RED,
    Axes,
    arrow,
    dots,
    figure,
    line,
    text,
)

OUT = ROOT / "docs/shared/figures/distributed/buffer-overwrite.svg"


def recorded(sync, rank):
    printed = (ROOT / "snippets/distributed/buffers.out").read_text()
    row = re.search(rf"^sync {sync} +rank {rank}: (.*)$", printed, re.M)[1]
    return [
        (float(a), float(b))
        for a, b in re.findall(r"([\d.]+) -> ([\d.]+)", row)
    ]


def draw():
    zero, one, local = (
        recorded(True, 0),
        recorded(True, 1),
        recorded(False, 1),
    )
    steps = len(zero)
    axes = Axes(44, 44, 400, 250, (0, steps), (0, 8))
    ticks = [(t + 0.35, (f"第 {t} 步", f"step {t}")) for t in range(steps)]
    out = axes.frame([], range(0, 9, 2), "", "running_mean", size=15)
    for t, words in ticks:
        x, y = axes.at(t, 0)
        out += text(x, y + 22, words, FG, 15)
    out += line([axes.at(0, 6), axes.at(steps, 6)], GREEN, 2.5, "7 5")
    for color, pairs in ((BLUE, zero), (ORANGE, one)):
        for t, (found, left) in enumerate(pairs):
            path = [axes.at(t + 0.05, found), axes.at(t + 0.7, left)]
            out += line(path, color, 3) + dots(path, color, 4)
    for t in range(steps - 1):
        x, y = axes.at(t + 0.7, one[t][1])
        to, level = axes.at(t + 1.05, one[t + 1][0])
        out += arrow((x + 4, y + 4), (to - 2, level - 6), RED, 2, 9, "5 4")
    path = [axes.at(t + 0.7, left) for t, (_, left) in enumerate(local)]
    out += line(path, FG, 2, "2 4") + dots(path, FG, 3)
    x, y = axes.at(3.9, 8)
    words = ("不同步时的 rank 1", "rank 1, not synced")
    out += text(x, y - 8, words, FG, 15, anchor="end")
    x, y = axes.at(0.08, 6)
    words = ("全部数据的均值 6", "mean of all data, 6")
    out += text(x, y - 8, words, GREEN, 15, 600, "start")
    x, y = axes.at(3.72, one[-1][1])
    out += text(x + 20, y + 22, "rank 1", ORANGE, 15, 600)
    x, y = axes.at(3.72, zero[-1][1])
    out += text(x + 20, y + 24, "rank 0", BLUE, 15, 600)
    x, y = axes.at(2.1, 1.2)
    words = (
        "前向之前，rank 0 的覆盖 rank 1 的",
        "before each forward, rank 0's replaces it",
    )
    out += text(x, y, words, RED, 15, 600)
    return figure(480, 330, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
