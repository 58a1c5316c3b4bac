"""Three gimbals at three pitches, their axes from gimbal_lock.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from gimbal_lock import turning_axes
from svg import BLUE, FG, GREEN, ORANGE, arrow, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/gimbal-lock-rings.svg"
UNIT = 64
VIEW = np.radians([-32, 22])  # where the eye stands: azimuth, elevation


def project(p):
    """Right and up on the paper, of points [..., 3]."""
    (ca, ce), (sa, se) = np.cos(VIEW), np.sin(VIEW)
    return np.stack(
        [-sa * p[..., 0] + ca * p[..., 1],
         -se * (ca * p[..., 0] + sa * p[..., 1]) + ce * p[..., 2]], -1)


def panel(left, middle, pitch):
    def at(p):
        x, y = project(np.asarray(p, float))
        return round(left + UNIT * x, 1), round(middle - UNIT * y, 1)

    yaw_axis, pitch_axis, roll_axis = turning_axes(np.radians(20), np.radians(pitch)).T
    s = np.linspace(0, 2 * np.pi, 49)[:, None]
    out = ""
    # The outer ring hangs on the yaw axis and carries the pitch axis; the inner
    # one hangs on the pitch axis and carries the roll axis.
    for a, b, r, color in ((yaw_axis, pitch_axis, 1, BLUE), (pitch_axis, roll_axis, 0.74, ORANGE)):
        ring = r * (np.cos(s) * a + np.sin(s) * b)
        out += line([at(p) for p in ring], color, 3.5, closed=True)
    for k in (-1, 1):
        out += line([at(k * yaw_axis), at(1.22 * k * yaw_axis)], BLUE, 3.5)
        out += line([at(0.74 * k * pitch_axis), at(k * pitch_axis)], ORANGE, 3.5)
    out += line([at(-0.74 * roll_axis), at(0.5 * roll_axis)], GREEN, 3.5)
    out += arrow(at(0 * roll_axis), at(1.3 * roll_axis), GREEN, 3.5, 13)
    out += dots([at([0, 0, 0])], FG, 4)
    return out


def draw():
    out = ""
    for k, pitch in enumerate((0, 60, 90)):
        left = 80 + 160 * k
        out += panel(left, 118, pitch)
        out += text(left, 24, f"pitch {pitch}°", FG, 16, 600)
        rank = int(np.linalg.matrix_rank(turning_axes(0, np.radians(pitch))))
        words = (f"{rank} 个转动方向", f"turns {rank} ways")
        out += text(left, 226, words, FG, 15, 600 if rank == 2 else 400)
    for x, word, color in ((80, "yaw", BLUE), (240, "pitch", ORANGE), (400, "roll", GREEN)):
        out += line([(x - 46, 252), (x - 22, 252)], color, 4)
        out += text(x - 14, 257, word, color, 15, 600, "start")
    return figure(480, 270, out, 620)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
