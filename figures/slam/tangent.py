"""Turns about z as a circle, its tangent at I, and exp between: so3.py."""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
from so3 import exp, hat
from svg import BLUE, FG, GREEN, RED, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/tangent.svg"
CENTRE, RADIUS = (250, 160), 72


def at(M):
    """Where the first column (cos, sin) of a turn is drawn; I is lowest."""
    return CENTRE[0] + RADIUS * M[1, 0], CENTRE[1] + RADIUS * M[0, 0]


def z(angle):
    return np.array([0, 0, angle])


def wind(angle, color):
    """From I + θ^ on the tangent to exp(θ): the line winds up on the circle."""
    path = [
        at(exp(z(s * angle)) @ (np.eye(3) + hat(z((1 - s) * angle))))
        for s in np.linspace(0, 1, 31)
    ]
    return line(path, color, 2, "6 5") + dots([path[0], path[-1]], color, 6)


def draw():
    circle = [at(exp(z(t))) for t in np.linspace(-np.pi, np.pi, 121)]
    ends = [at(np.eye(3) + hat(z(t))) for t in (-3.4, 3.4)]
    out = line(ends, FG, 2) + line(circle, BLUE, 3)
    for angle, color, words in [
        (1, GREEN, "1"),
        (2, GREEN, "2"),
        (np.pi, RED, "π"),
        (-np.pi, RED, "−π"),
    ]:
        out += wind(angle, color)
        x, y = at(np.eye(3) + hat(z(angle)))
        out += text(x, y + 26, words, color, 17, 600)
    x, y = at(np.eye(3))
    out += dots([(x, y)], FG, 6) + text(x, y + 26, "I", FG, 17, 600)
    out += text(x - 105, y + 26, ("切线 I + θ^", "tangent I + θ^"), FG, 16)
    x, y = CENTRE
    out += text(x, y + 6, ("群 SO(2)", "group SO(2)"), BLUE, 17, 600)
    out += text(x, 20, "exp(π^) = exp(−π^)", RED, 17, 600)
    x, y = at(np.eye(3) + hat(z(2)))
    out += text(x + 8, y - 62, "exp", GREEN, 17, 600, "start")
    return figure(500, 270, out, 600)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
