"""Relative error of the textbook logarithm by angle, from wrong_log_acos.py.

Its rotation matrices are rounded from 50 digits, and the errors to a quarter
of a power of ten, so that every machine draws the same.
"""

import sys
from pathlib import Path

import numpy as np
from mpmath import mp, mpf

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
from svg import BLUE, MUTED, RED, Axes, figure, line, text
from wrong_log_acos import log_acos

OUT = ROOT / "docs/shared/figures/slam/log-error.svg"
AXES = [(0, 0, 1), (0.6, 0, -0.8), (2 / 3, -1 / 3, 2 / 3), (0.28, 0.96, 0)]
OURS = 4e-16  # its worst over these axes; test_so3.py asserts 1e-15


def rotation(phi):
    """exp(phi) with each element rounded once."""
    with mp.workdps(50):
        x, y, z = map(mpf, phi)
        t = mp.sqrt(x * x + y * y + z * z)
        K = mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / t
        R = mp.eye(3) + mp.sin(t) * K + (1 - mp.cos(t)) * K * K
    return np.array(R.tolist(), float)


def error(angle):
    """The worst relative error over some axes; NaN where one is."""
    worst = 0
    for axis in AXES:
        phi = angle * np.array(axis)
        with np.errstate(invalid="ignore"):
            off = np.linalg.norm(log_acos(rotation(phi)) - phi) / angle
        worst = np.maximum(worst, off)
    return worst


def near_pi():
    """(pi − angle, error): the worst of each half decade."""
    for k in np.arange(-1.5, -12, -0.5):
        gaps = 10 ** np.linspace(k - 0.5, k, 9)[1:]
        worst = max(error(np.pi - gap) for gap in gaps)
        yield 10**k, 10 ** (round(4 * np.log10(worst)) / 4)


def power(k):
    """10ᵏ as text."""
    return "10" + str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def draw():
    left, top, width, height = 58, 56, 205, 260
    ylim = (1e-17, 1e10)
    yticks = [(10.0**k, power(k)) for k in (-16, -12, -8, -4, 0, 4, 8)]
    ticks = [(10.0**k, power(k)) for k in (-12, -8, -4)]
    box = (left, top, width, height)
    low = Axes(*box, (1e-12, 1), ylim, (True, True))
    box = (left + width, top, width, height)
    high = Axes(*box, (1, 1e-12), ylim, (True, True))
    words = ("角度 θ（弧度）", "angle θ (rad)")
    title = ("log 的相对误差", "relative error of log")
    out = low.frame([*ticks, (1, "1")], yticks, words, title, 16)
    out += high.frame(ticks, [], "π − θ", "", 16)
    for value, _ in yticks:
        out += line([high.at(1, value), high.at(1e-12, value)], MUTED, 1)
    angles = 10 ** np.arange(-12, 0, 0.25)
    last = max(angle for angle in angles if np.isnan(error(angle)))
    x, y = low.at(last, 1e10)
    out += (
        f'<rect x="{left}" y="{y:.5g}" width="{x - left:.5g}" '
        f'height="{height}" fill="{RED}" opacity="0.25"/>\n'
    )
    out += text((left + x) / 2, top + 120, "NaN", RED, 20, 700)
    # Within 1e-15 from there to 1 rad before pi: test_log_acos.py.
    textbook = [low.at(last, 1e-15), low.at(1, 1e-15)]
    textbook += [high.at(*point) for point in near_pi()]
    out += line(textbook, RED, 3)
    out += line([low.at(1e-12, OURS), high.at(1e-12, OURS)], BLUE, 3)
    x, y = high.at(1, 1e2)
    out += text(x - 8, y, ("课本：", "textbook:"), RED, 16, 600, "end")
    out += text(x - 8, y + 20, "arccos", RED, 16, 600, "end")
    x, y = high.at(1e-12, 1e-12)
    out += text(x - 6, y, "so3.log", BLUE, 16, 600, "end")
    out += text(x - 6, y + 20, "< 1e-15", BLUE, 16, 600, "end")
    return figure(490, top + height + 52, out, 600)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
