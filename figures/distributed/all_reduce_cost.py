"""Time of each all-reduce against message size, from all_reduce_model.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from all_reduce_model import crossover, predict
from svg import (
    BLUE,
    FG,
    GREEN,
    MUTED,
    ORANGE,
    RED,
    Axes,
    dots,
    figure,
    line,
    text,
)

OUT = ROOT / "docs/shared/figures/distributed/all-reduce-cost.svg"
WORLD_SIZE = 8
LINES = {  # name: words, colour, dashes
    "star": (("主从", "star"), RED, ""),
    "everyone": (("两两互发", "everyone"), ORANGE, "7 5"),
    "tree": (("树", "tree"), GREEN, ""),
    "ring": (("环", "ring"), BLUE, ""),
}


def draw():
    axes = Axes(58, 40, 404, 290, (0.1, 100), (4, 2000), (True, True))
    out = axes.frame(
        [0.1, 1, 10, 100],
        [10, 100, 1000],
        ("S，单位 α/β", "S, in units of α/β"),
        ("耗时，单位 α（W = 8）", "time, in units of α (W = 8)"),
    )
    sizes = [10 ** (k / 20 - 1) for k in range(61)]
    for row, (name, (words, color, dash)) in enumerate(LINES.items()):
        times = [predict(name, WORLD_SIZE, size, 1, 1) for size in sizes]
        out += line(axes.points(sizes, times), color, 3, dash)
        y = 62 + 24 * row
        out += line([(72, y), (106, y)], color, 3, dash)
        out += text(114, y + 5, words, color, 16, 700, "start")
    limit = crossover(WORLD_SIZE)
    x, y = axes.at(limit, predict("tree", WORLD_SIZE, limit, 1, 1))
    out += line([(x, y), (x, 330)], MUTED, 1.5, "4 4") + dots([(x, y)], FG, 5)
    words = f"{limit:.2f} α/β"
    return figure(
        480, 386, out + text(x + 8, 320, words, FG, 15, 600, "start")
    )


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
