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
LINES = {  # name: words, colour, dashes, where its label stands
    "star": (("主从", "star"), RED, "", (0.13, 17.5)),
    "all-to-all": (("两两互发", "all-to-all"), ORANGE, "7 5", (8, 120)),
    "tree": (("树", "tree"), GREEN, "", (0.13, 5.0)),
    "ring": (("环", "ring"), BLUE, "", (40, 52)),
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
    for name, (words, color, dash, place) in LINES.items():
        times = [predict(name, WORLD_SIZE, size, 1, 1) for size in sizes]
        out += line(axes.points(sizes, times), color, 3, dash)
        x, y = axes.at(*place)
        out += text(x, y, words, color, 16, 700, "start")
    limit = crossover(WORLD_SIZE)
    x, y = axes.at(limit, predict("tree", WORLD_SIZE, limit, 1, 1))
    out += line([(x, y), (x, 330)], MUTED, 1.5, "4 4") + dots([(x, y)], FG, 5)
    words = f"{limit:.2f} α/β"
    return figure(
        480, 386, out + text(x + 8, 320, words, FG, 15, 600, "start")
    )


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
