"""The square walk from odometry alone, and with its loop closed."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
from square_walk import square_walk
from pose_graph import optimize
from svg import BLUE, FG, GREEN, MUTED, ORANGE, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/loop-closure.svg"
SCALE, LEFT, BOTTOM = 13.5, 30, 262


def spots(poses, shift):
    return [(round(shift + LEFT + SCALE * x, 1), round(BOTTOM - SCALE * y, 1))
            for x, y in poses[:, :2, 3]]


def panel(shift, title, poses, truth, color):
    true, walk = spots(truth, shift), spots(poses, shift)
    out = text(shift + LEFT - 8, 24, title, FG, 17, 600, "start")
    out += line(true, MUTED, 6, closed=True)
    out += line(walk, color, 2) + dots(walk, color, 2.4)
    out += line([walk[-1], walk[0]], ORANGE, 2, "5 4")
    return out + dots([walk[0]], FG, 5)


def draw():
    graph, truth = square_walk()
    out = panel(0, ("里程计", "Odometry"), graph.poses, truth, BLUE)
    out += panel(270, ("闭合回环之后", "Loop closed"), optimize(graph).poses, truth, GREEN)
    y = BOTTOM + 46
    out += line([(30, y), (60, y)], MUTED, 6)
    out += text(68, y + 5, ("真实轨迹", "truth"), FG, 16, anchor="start")
    out += line([(180, y), (210, y)], ORANGE, 2, "5 4")
    words = ("回环边：末位姿 → 位姿 0", "closure: last pose → pose 0")
    out += text(218, y + 5, words, FG, 16, anchor="start")
    return figure(540, y + 22, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
