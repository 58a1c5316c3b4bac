"""Bytes of weights against error for FP32, FP16 and INT8, from precision.out."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BLUE, FG, GREEN, ORANGE, Axes, dots, figure, text

OUT = ROOT / "docs/shared/figures/deployment/precision-cost.svg"
PRINTED = ROOT / "snippets/deployment/precision.out"


def rows():
    """Return (name, kilobytes, error, "< " where the error is a bound)."""
    found = re.findall(r"^(\w+): (\d+) kB, error (< )?(\S+),", PRINTED.read_text("utf-8"), re.M)
    return [(name, int(size), float(error), bound) for name, size, bound, error in found]


def superscript(error):
    digit, power = f"{error:.0e}".split("e-")
    power = str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10⁻{power}" if digit == "1" else f"{digit}·10⁻{power}"


def draw():
    axes = Axes(64, 44, 392, 236, (0, 420), (1e-7, 1e-1), log=(False, True))
    out = axes.frame(
        [0, 100, 200, 300, 400],
        [(10.0**-n, superscript(10.0**-n)) for n in range(7, 0, -1)],
        ("权重（kB）", "weights (kB)"),
        ("相对误差", "relative error"),
        15,
    )
    for (name, size, error, bound), color in zip(rows(), (BLUE, GREEN, ORANGE), strict=True):
        x, y = axes.at(size, error)
        out += dots([(x, y)], color, 8)
        left = size > 300
        side, anchor = (-16, "end") if left else (16, "start")
        out += text(x + side, y - 4, name, color, 18, 700, anchor)
        words = f"{size} kB, {'&lt; ' if bound else ''}{superscript(error)}"
        out += text(x + side, y + 15, words, FG, 15, 400, anchor)
    return figure(480, 334, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
