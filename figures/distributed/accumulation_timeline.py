"""When DDP communicates over four micro-batches, in three ways."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, ORANGE, RED, figure, text

OUT = ROOT / "docs/shared/figures/distributed/accumulation-timeline.svg"
LEFT, CELL, HEIGHT = 8, 46, 34


def read_counts():
    """All-reduces that the scripts counted, as their outputs show them."""
    counts = {}
    table = (ROOT / "snippets/distributed/accumulation.out").read_text()
    for line in table.splitlines()[1:]:
        name, times, _ = line.split()
        counts[name] = int(times)
    wrong = (ROOT / "snippets/distributed/wrong_no_sync.out").read_text()
    counts["wrong"] = int(wrong.split()[0])
    return counts


def cell(x, y, width, words, fill, ink=BG, stroke=None):
    return (
        f'<rect x="{x + 1.5:g}" y="{y:g}" width="{width - 3:g}" height="{HEIGHT}" '
        f'rx="5" fill="{fill}" stroke="{stroke or fill}" stroke-width="2"/>\n'
        + text(x + width / 2, y + 23, words, ink, 16, 600)
    )


def lane(y, words, color, count, covered):
    """Four micro-batches; `covered` says which parts no_sync encloses."""
    out = text(LEFT, y, words, FG, 16, 600, "start")
    total = (f"{count} 次", f"{count} in all")
    out += text(472, y, total, color, 16, 700, "end")
    for i in range(4):
        x = LEFT + 116 * i
        out += cell(x, y + 20, CELL, ("前", "F"), BLUE)
        out += cell(x + CELL, y + 20, CELL, ("反", "B"), ORANGE)
        if i >= 4 - count:
            out += cell(x + CELL * 2, y + 20, 22, "↔", color)
        if i < 3 and covered:
            first = x if "F" in covered else x + CELL
            out += (
                f'<rect x="{first - 3:g}" y="{y + 13:g}" '
                f'width="{x + 2 * CELL - first + 4:g}" height="{HEIGHT + 14}" rx="8" '
                f'fill="none" stroke="{FG}" stroke-width="2" stroke-dasharray="5 4"/>\n'
            )
    return out


def draw():
    counts = read_counts()
    every = ("不用 no_sync", "No no_sync")
    wrong = ("只有反向在 no_sync 里", "Only backward in no_sync")
    right = ("前向、反向都在 no_sync 里", "Forward and backward in it")
    out = lane(24, every, RED, counts["without_no_sync"], "")
    out += lane(116, wrong, RED, counts["wrong"], "B")
    out += lane(208, right, GREEN, counts["accumulate"], "FB")
    y = 308
    out += cell(LEFT, y - 23, 22, "↔", FG)
    out += text(LEFT + 30, y, "all-reduce", FG, 16, 400, "start")
    out += (
        f'<rect x="{LEFT + 150}" y="{y - 22}" width="30" height="{HEIGHT - 2}" rx="8" '
        f'fill="none" stroke="{FG}" stroke-width="2" stroke-dasharray="5 4"/>\n'
    )
    out += text(LEFT + 188, y, "no_sync", FG, 16, 400, "start")
    out += text(
        472, y, ("前 = 前向，反 = 反向", "F forward, B backward"), FG, 16, 400, "end"
    )
    return figure(480, y + 22, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
