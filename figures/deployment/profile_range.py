"""Which batches and sizes a profile accepts, from profiles.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/deployment"), str(ROOT / "figures")]
from profiles import HIGH, LOW, USUAL, accepts
from svg import BLUE, FG, GREEN, RED, Axes, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/deployment/profile-range.svg"
PROFILE = {"image": (LOW, USUAL, HIGH)}
TRIED = [(2, 96), (16, 48), (64, 100), (8, 180), (12, 22)]  # (batch, height = width)


def cross(x, y, r=6):
    return line([(x - r, y - r), (x + r, y + r)], RED, 3) + line(
        [(x - r, y + r), (x + r, y - r)], RED, 3
    )


def draw():
    axes = Axes(56, 40, 400, 260, (0.7, 100), (16, 256), log=(True, True))
    out = axes.frame(
        [1, 2, 4, 8, 16, 32, 64],
        [16, 32, 64, 128, 256],
        ("批次 batch", "batch"),
        ("高 = 宽", "height = width"),
    )
    corners = [(LOW[0], LOW[2]), (HIGH[0], LOW[2]), (HIGH[0], HIGH[2]), (LOW[0], HIGH[2])]
    out += line([axes.at(*p) for p in corners], BLUE, 2.5, closed=True)
    for name, shape, dx, dy, anchor in (
        ("MIN", LOW, 0, 24, "middle"),
        ("OPT", USUAL, 10, -10, "start"),
        ("MAX", HIGH, 0, -12, "middle"),
    ):
        x, y = axes.at(shape[0], shape[2])
        out += dots([(x, y)], BLUE, 6) + text(x + dx, y + dy, name, BLUE, 15, 700, anchor)
    for batch, size in TRIED:
        x, y = axes.at(batch, size)
        inside = accepts(PROFILE, {"image": (batch, 3, size, size)})
        out += dots([(x, y)], GREEN, 6) if inside else cross(x, y)
        out += text(x, y + 23, f"{batch} × {size}", GREEN if inside else RED, 14, 600)
    out += text(
        56,
        366,
        (
            "绿：接受；红：拒绝；框：MIN 到 MAX",
            "green: accepted; red: refused; box: MIN to MAX",
        ),
        FG,
        15,
        400,
        "start",
    )
    return figure(480, 380, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
