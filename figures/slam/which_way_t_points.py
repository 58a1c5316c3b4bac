"""Two frames, one point, and the two vectors called t, from frames.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from euler import to_matrix
from frames import pose
from se3 import act, inverse
from svg import BLUE, FG, GREEN, MUTED, ORANGE, RED, arrow, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/which-way-t-points.svg"
UNIT, LEFT, FLOOR = 66, 66, 372


def at(p):
    return (round(LEFT + UNIT * p[0], 2), round(FLOOR - UNIT * p[1], 2))


def frame(T, color, labels, size=0.95, aside=0):
    """Two axes with their names, and the origin."""
    origin, out = T[:3, 3], ""
    for k, label in enumerate(labels):
        tip = origin + size * T[:3, k]
        out += arrow(at(origin), at(tip), color, 2.5)
        x, y = at(origin + (size + 0.2) * T[:3, k] + (aside if k == 0 else 0))
        out += text(x, y + 5, label, color, 15)
    return out + dots([at(origin)], color, 4.5)


def draw():
    T_wc = pose(to_matrix(np.radians(150), 0, 0), [4, 2, 0])
    T_cw = inverse(T_wc)
    W, C = np.zeros(3), T_wc[:3, 3]
    P = act(T_wc, [1, -2, 0])
    t_cw = T_cw[:3, 3]
    foot = C + t_cw[0] * T_wc[:3, 0]  # along the camera's x, then its y

    out = line([at(W), at([5.7, 0, 0])], MUTED, 1) + line([at(W), at([0, 5, 0])], MUTED, 1)
    out += frame(np.eye(4), FG, ("x", "y"))
    out += frame(T_wc, GREEN, ("x′", "y′"), aside=np.array([0.05, -0.3, 0]))
    gap = np.array([-0.04, 0.09, 0])
    out += arrow(at(W - gap), at(C - gap), BLUE, 3, 12)
    out += arrow(at(C + gap), at(W + gap), ORANGE, 3, 12)
    out += line([at(C), at(foot), at(W)], ORANGE, 1.5, "4 5")
    x, y = at((C + foot) / 2)
    out += text(x + 4, y - 14, f"{t_cw[0]:.2f}", ORANGE, 15, anchor="start")
    x, y = at((W + foot) / 2)
    out += text(x - 10, y - 4, f"{t_cw[1]:.2f}", ORANGE, 15, anchor="end")
    out += arrow(at(C), at(P), MUTED, 2)
    out += dots([at(P)], FG, 5)
    out += text(at(P)[0] + 12, at(P)[1] - 4, "p", FG, 16, 600, "start")
    ghost = at([t_cw[0], t_cw[1], 0])
    out += line([(ghost[0] - 7, ghost[1] - 7), (ghost[0] + 7, ghost[1] + 7)], RED, 3)
    out += line([(ghost[0] - 7, ghost[1] + 7), (ghost[0] + 7, ghost[1] - 7)], RED, 3)
    words = ("错：t_cw 当成相机位置", "wrong: t_cw as position")
    out += text(ghost[0], ghost[1] - 16, words, RED, 15, 600)
    x, y = at([1.75, 0.5, 0])
    out += text(x, y + 14, "t_wc = (4, 2)", BLUE, 16, 600, "start")
    x, y = at([0.3, 3.1, 0])
    out += text(x - 6, y, "t_cw =", ORANGE, 16, 600, "start")
    out += text(x - 6, y + 21, f"({t_cw[0]:.2f}, {t_cw[1]:.2f})", ORANGE, 16, 600, "start")
    out += text(at(W)[0] - 8, at(W)[1] + 22, ("世界 w", "world w"), FG, 15, 600, "start")
    out += text(at(C)[0] + 10, at(C)[1] + 18, ("相机 c", "camera c"), GREEN, 15, 600, "start")
    return figure(480, 404, out, 560)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
