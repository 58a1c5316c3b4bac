"""exp(s xi) of wrong_translation.py's xi, and the straight line along rho."""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
from se3 import exp
from svg import BLUE, FG, MUTED, RED, arrow, dots, figure, line, text
from wrong_translation import pose

OUT = ROOT / "docs/shared/figures/slam/screw.svg"
XI = np.array([1, 0, 0, 0, 0, np.pi / 2])


def at(x, y):
    return 40 + 310 * x, 280 - 310 * y


def vehicle(T, color, size=0.16):
    """The origin and the heading of a pose."""
    x, y = T[:2, 3]
    tip = T[:2, 3] + size * T[:2, 0]
    return arrow(at(x, y), at(*tip), color, 3, 11) + dots([at(x, y)], color, 5)


def draw():
    steps = np.linspace(0, 1, 31)
    out = line([at(1.2, 0), at(0, 0), at(0, 0.75)], MUTED, 1)
    out += line([at(*exp(s * XI)[:2, 3]) for s in steps], BLUE, 3)
    out += line([at(*pose(s * XI)[:2, 3]) for s in steps], RED, 3, "7 6")
    for s in (0.25, 0.5, 0.75, 1):
        out += vehicle(pose(s * XI), RED) + vehicle(exp(s * XI), BLUE)
    out += vehicle(exp(0 * XI), FG)
    end = exp(XI)[:2, 3]
    x, y = at(*end)
    left = 'J<tspan font-size="12" dy="4">l</tspan><tspan dy="-4"> ρ</tspan>'
    out += text(x + 16, y - 4, f"t = {left}", BLUE, 18, 600, "start")
    words = f"({end[0]:.4f}, {end[1]:.4f})"
    out += text(x + 16, y + 20, words, BLUE, 16, 400, "start")
    x, y = at(1, 0)
    out += text(x, y + 28, "t = ρ  (1, 0)", RED, 17, 600)
    out += text(62, y + 28, ("起点", "start"), FG, 16)
    return figure(440, 320, out, 520)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
