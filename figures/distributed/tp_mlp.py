"""An MLP split by columns, then rows; the numbers are tp_by_hand.py's."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
import tp_by_hand
from svg import BLUE, FG, GREEN, ORANGE, arrow, figure, line, text
from torch.nn.functional import gelu, linear

OUT = ROOT / "docs/shared/figures/distributed/tp-mlp.svg"
CELL, MIDDLE = 20, 290


def numbers():
    """x, A and B in halves, each rank's hidden units and term, the sum."""
    tp_by_hand.device = lambda: "cpu"
    (w1, b1, w2, _), x = tp_by_hand.make_mlp()
    hidden = [
        gelu(linear(x, w, b))
        for w, b in zip(w1.chunk(2), b1.chunk(2), strict=True)
    ]
    b = w2.T.chunk(2)
    terms = [h @ part for h, part in zip(hidden, b, strict=True)]
    return x, [part.T for part in w1.chunk(2)], hidden, b, terms


def matrix(x, y, values, color, largest):
    """Squares whose area is the size of a number; hollow where negative."""
    rows, columns = values.shape
    out = (
        f'<rect x="{x}" y="{y}" width="{CELL * columns}" '
        f'height="{CELL * rows}" fill="none" stroke="{color}" '
        'stroke-width="2"/>\n'
    )
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            side = round(16 * (abs(value) / largest) ** 0.5, 1)
            left = x + CELL * (j + 0.5) - side / 2
            top = y + CELL * (i + 0.5) - side / 2
            fill = color if value > 0 else "none"
            out += (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{side:.1f}" '
                f'height="{side:.1f}" fill="{fill}" stroke="{color}"/>\n'
            )
    return out


def label(y, name, words):
    return text(8, y, name, FG, 17, 700, "start") + text(
        8, y + 22, words, FG, 15, 400, "start"
    )


def most(*values):
    return max(value.abs().max().item() for value in values)


def path(start, corner, end, color):
    return line([start, corner], color) + arrow(corner, end, color)


def draw():
    x, a, hidden, b, terms = numbers()
    left, right = MIDDLE - 84, MIDDLE + 4
    out = label(40, "x", ("各 rank 相同", "same on each rank"))
    out += matrix(MIDDLE - 40, 20, x, FG, most(x))
    out += text(392, 40, "rank 0", BLUE, 17, 700, "start")
    out += text(392, 64, "rank 1", ORANGE, 17, 700, "start")
    out += arrow((MIDDLE, 84), (MIDDLE, 106), FG)
    out += label(144, "A", ("按列切", "by columns"))
    out += label(
        244, "gelu(xA + a)", ("各算一半，不通信", "half each, no traffic")
    )
    for i, (edge, color) in enumerate(((left, BLUE), (right, ORANGE))):
        out += matrix(edge, 110, a[i], color, most(*a))
        out += arrow((edge + 40, 194), (edge + 40, 216), color)
        out += matrix(edge, 220, hidden[i], color, most(*hidden))
        out += matrix(MIDDLE - 40, 310 + 88 * i, b[i], color, most(*b))
    corner = (left + 20, 350)
    out += path((left + 20, 284), corner, (MIDDLE - 44, 350), BLUE)
    corner = (right + 60, 438)
    out += path((right + 60, 284), corner, (MIDDLE + 44, 438), ORANGE)
    out += label(384, "B", ("按行切", "by rows"))
    words = (
        "all-reduce：部分和相加，两边得到同样的和",
        "all-reduce: add the terms, both get the sum",
    )
    out += text(240, 516, words, FG, 16, 600)
    three = [*terms, terms[0] + terms[1]]
    for i, color in enumerate((BLUE, ORANGE, GREEN)):
        out += matrix(60 + 140 * i, 534, three[i], color, most(*three))
    out += text(170, 572, "+", FG, 24) + text(310, 572, "=", FG, 24)
    words = (
        "面积表示数值大小，空心为负",
        "area: size of the number; hollow: negative",
    )
    return figure(480, 630, out + text(240, 620, words, FG, 14))


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
