"""Six collectives on four ranks, from what collectives.py printed."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, ORANGE, RED, figure, text

PRINTED = ROOT / "snippets/distributed/collectives.out"
OUT = ROOT / "docs/shared/figures/distributed/six-collectives.svg"
SIX = (
    "broadcast",
    "scatter",
    "gather",
    "all_gather",
    "reduce_scatter",
    "all_reduce",
)
COLORS = (BLUE, ORANGE, GREEN, RED)  # by the rank that a number comes from
CELL, PANEL, TALL = 28, 256, 186


def rows():
    """Return {name: a list for each rank} from the table of four ranks."""
    table = PRINTED.read_text("utf-8").split("rank 3")[1]
    return {
        name: [
            [] if cell == "-" else cell.split()
            for cell in re.split(r" {2,}", cells)
        ]
        for name, cells in re.findall(r"^(\w+) +(.+)$", table, re.M)
    }


def cell(x, y, value, is_sum):
    """One number: filled with its rank's colour, or outlined if a sum."""
    color = FG if is_sum else COLORS[int(value) // 10]
    fill, ink = ("none", FG) if is_sum else (color, BG)
    return (
        f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" '
        f'height="{CELL - 2}" rx="4" fill="{fill}" stroke="{color}"/>'
        f'<text x="{x + CELL // 2}" y="{y + CELL // 2 + 5}" '
        f'fill="{ink}">{value}</text>\n'
    )


def panel(left, top, name, before, after):
    """Before on the left, after on the right, a line for each rank."""
    out = text(left + 8, top + 22, name, FG, 17, 700, "start")
    if "gather" in name:
        before = [numbers[:1] for numbers in before]  # it takes one of them
    if name == "scatter":
        before = [before[0], [], [], []]
    for rank, (ours, theirs) in enumerate(zip(before, after, strict=True)):
        y = top + 34 + rank * (CELL + 6)
        for place, value in enumerate(ours):
            out += cell(left + 8 + place * CELL, y, value, False)
        out += text(left + 132, y + 19, "→", FG, 16)
        for place, value in enumerate(theirs):
            x = left + 144 + place * CELL
            out += cell(x, y, value, "reduce" in name)
        if not theirs:
            out += text(left + 152, y + 19, "–", FG, 16)
    return out


def draw():
    printed, out = rows(), ""
    for index, name in enumerate(SIX):
        left = 12 + (index % 2) * (PANEL + 20)
        top = 4 + (index // 2) * TALL
        out += panel(left, top, name, printed["before"], printed[name])
    style = 'font-size="14" font-weight="600" text-anchor="middle"'
    out = f"<g {style}>\n{out}</g>\n"
    y = 4 + 3 * TALL + 16
    words = (
        "每行一个 rank，从 0 到 3；颜色是数的来处，空心是总和",
        "One row a rank, 0 to 3; colour: whose number; outlined: a sum",
    )
    out += text(276, y, words, FG, 15)
    return figure(2 * PANEL + 40, y + 12, out, 620)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
