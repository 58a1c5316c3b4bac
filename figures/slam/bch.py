"""The remainder of the first-order BCH form by the size of the step, from bch.py."""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
from bch import DELTA, PHI, first_order, product
from svg import BLUE, RED, Axes, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/bch.svg"


def draw():
    axes = Axes(62, 40, 400, 270, (1e-4, 1), (1e-10, 10), log=(True, True))
    xticks = [(10.0**k, f"1e{k}" if k else "1") for k in range(-4, 1)]
    yticks = [(10.0**k, f"1e{k}" if k else "1") for k in range(-10, 1, 2)]
    out = axes.frame(xticks, yticks, "|δ|", ("余项", "remainder"))
    sizes = 10.0 ** np.arange(-4, 0.1, 0.5)
    for model, color in ((lambda d: PHI + d, RED), (lambda d: first_order(PHI, d), BLUE)):
        off = [np.linalg.norm(product(s * DELTA, PHI) - model(s * DELTA)) for s in sizes]
        points = axes.points(sizes, off)
        out += line(points, color, 2.5) + dots(points, color, 4)
    out += text(*axes.at(8e-3, 0.03), "φ + δ", RED, 16, 600, "end")
    out += text(*axes.at(3e-2, 4e-6), "φ + J⁻¹δ", BLUE, 16, 600, "start")
    quarter = ("步长减半，降到四分之一", "half the step: a quarter")
    half = ("步长减半，降到一半", "half the step: half")
    out += text(*axes.at(1.2e-2, 7e-9), quarter, BLUE, 14, 400, "start")
    out += text(*axes.at(8e-3, 0.3), half, RED, 14, 400, "end")
    return figure(480, 360, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
