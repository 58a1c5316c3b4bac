"""Distance from the solution by iteration, from gauss_newton.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
from gauss_newton import (POINTS, SEEN, START, additive_model, distances,
                          left_model, solve)
from svg import BLUE, GREEN, RED, Axes, dots, figure, line, text
from wrong_mixed_sides import mixed

OUT = ROOT / "docs/shared/figures/slam/gauss-newton.svg"
MODELS = [
    (left_model, BLUE, "", ("左扰动、右扰动", "left, right")),
    (additive_model, GREEN, "7 5", ("导数模型", "derivative model")),
    (mixed, RED, "", ("左雅可比，右更新", "left Jacobian, right update")),
]


def draw():
    axes = Axes(62, 40, 400, 270, (0, 6), (1e-10, 10), log=(False, True))
    ticks = [(10.0**k, f"1e{k}" if k else "1") for k in range(-10, 1, 2)]
    out = axes.frame(range(7), ticks, ("迭代次数", "iteration"),
                     ("离真值的距离", "distance from the solution"))
    for model, color, dash, _ in MODELS:
        errors = distances(solve(model, START, POINTS, SEEN, 6))
        kept = [(i, e) for i, e in enumerate(errors) if e > 1e-10]
        points = axes.points(*zip(*kept, strict=True))
        out += line(points, color, 2.5, dash) + dots(points, color, 4)
    for (x, y, anchor), (_, color, _, words) in zip(
        [(3.1, 6e-6, "end"), (4.2, 3e-3, "start"), (3.0, 0.16, "start")], MODELS, strict=True
    ):
        out += text(*axes.at(x, y), words, color, 15, 600, anchor)
    return figure(480, 360, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
