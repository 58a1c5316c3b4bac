"""Speed of slerp and of normalised lerp over t, from slerp_speed.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from quaternion import from_rotvec, slerp
from slerp_speed import nlerp, speed
from svg import BLUE, ORANGE, Axes, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/slerp-speed-curve.svg"
PATHS = (("slerp", slerp, BLUE, 30), ("nlerp", nlerp, ORANGE, 150))


def draw():
    q0, q1 = from_rotvec([[0, 0, 0], [0, 0, np.radians(160)]])
    t = np.linspace(0, 1, 41)
    axes = Axes(52, 46, 408, 150, (0, 1), (90, 210))
    out = axes.frame([0, 0.25, 0.5, 0.75, 1], [100, 150, 200], "t",
                     ("角速度：每单位 t 转的度数", "speed: degrees per unit of t"), 15)
    for name, path, color, _ in PATHS:
        v = speed(path(q0, q1, t), t)
        points = axes.points((t[1:] + t[:-1]) / 2, v)
        out += line([(round(x, 1), round(y, 1)) for x, y in points], color, 3)
        x, y = points[3 if name == "slerp" else 24]
        out += text(round(x, 1), round(y, 1) - 9, name, color, 15, 600, "start")
    # The same two paths as eleven positions of a pointer tip, evenly in t.
    t = np.linspace(0, 1, 11)
    for name, path, color, _ in PATHS:
        q = path(q0, q1, t)
        angle = 2 * np.arctan2(q[:, 3], q[:, 0])
        left = 130 if name == "slerp" else 350
        tips = [(round(left - 95 * np.cos(a), 1), round(366 - 95 * np.sin(a), 1)) for a in angle]
        for tip in tips:
            out += line([(left, 366), tip], color, 1.5)
        out += dots(tips, color, 5)
        out += text(left, 392, name, color, 16, 600)
    return figure(480, 404, out, 560)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
