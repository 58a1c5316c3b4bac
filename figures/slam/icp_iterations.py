"""ICP on a room: the scan at iterations 0, 1, 3 and at the end, from above."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from icp_scene import CORNERS, error, scene
from registration import icp_steps
from svg import BLUE, FG, ORANGE, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/icp-iterations.svg"
SCALE = 30


def place(points, left, top):
    return np.array([left, top]) + (points[:, :2] * [1, -1] + [0.9, 4.9]) * SCALE


def segments(starts, ends, color):
    path = "".join(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}"
                   for (a, b), (c, d) in zip(starts, ends, strict=True))
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>\n'


def cloud(points, color):
    path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)
    return f'<path d="{path}" stroke="{color}" stroke-width="5" stroke-linecap="round"/>\n'


def panel(left, top, number, step, scan, room, T_true):
    T, i, j = step
    here = scan[i] @ T[:3, :3].T + T[:3, 3]
    degrees, metres = error(T, T_true)
    words = (f"第 {number} 次：{degrees:.1f}°、{metres * 100:.1f} cm",
             f"iteration {number}: {degrees:.1f}°, {metres * 100:.1f} cm")
    out = text(left + 4, top + 18, words, FG, 16, 600, "start")
    top += 12
    out += line(place(CORNERS, left, top), FG, 2, closed=True)
    out += segments(place(here, left, top), place(room[j], left, top), ORANGE)
    return out + cloud(place(here, left, top), BLUE)


def draw():
    scan, room, T_true = scene()
    steps = list(icp_steps(scan, room, np.eye(4), 100, 1e-9, np.inf, 1))
    out = ""
    for k, number in enumerate((0, 1, 3, len(steps) - 1)):
        out += panel(250 * (k % 2), 186 * (k // 2), number, steps[number], scan, room, T_true)
    return figure(490, 374, out, shown=640)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
