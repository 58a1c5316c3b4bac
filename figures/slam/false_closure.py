"""The square walk with a false closure: least squares, Huber, Cauchy."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from square_walk import add_edge, position_error, square_walk
from pose_graph import optimize
from svg import FG, GREEN, MUTED, RED, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/false-closure.svg"
SCALE = 5.7
LEFT, BOTTOM = 12, 164


def spots(poses, shift):
    return [(round(shift + SCALE * x, 1), round(BOTTOM - SCALE * y, 1))
            for x, y in poses[:, :2, 3]]


def draw():
    graph, truth = square_walk()
    graph = add_edge(graph, 15, 45, np.eye(4))
    out = ""
    names = [(None, ("最小二乘", "Least squares")), ("huber", "Huber"), ("cauchy", "Cauchy")]
    for k, (robust, title) in enumerate(names):
        shift = LEFT + 180 * k
        color = GREEN if robust == "cauchy" else RED
        found = optimize(graph, robust)
        walk = spots(found.poses, shift)
        error = f"{position_error(found, truth):.2f} m"
        out += text(shift, 24, title, FG, 17, 600, "start")
        out += text(shift, 46, (f"误差 {error}", f"off by {error}"), FG, 16, anchor="start")
        out += line(spots(truth, shift), MUTED, 5, closed=True)
        out += line(walk, color, 2, closed=True) + dots(walk, color, 1.6)
        out += line([walk[15], walk[45]], FG, 2, "4 4") + dots([walk[15], walk[45]], FG, 3.5)
    y = BOTTOM + 36
    out += line([(LEFT, y), (LEFT + 30, y)], FG, 2, "4 4")
    words = ("假回环：“位姿 15 与 45 是同一处”", "false closure: “poses 15 and 45 are one place”")
    out += text(LEFT + 38, y + 5, words, FG, 16, anchor="start")
    return figure(540, y + 20, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
