"""Two ranks that wait for each other, from where_it_waits.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, RED, arrow, figure, line, text
from where_it_waits import DUMP, LIMIT

OUT = ROOT / "docs/shared/figures/distributed/hang-timeline.svg"
START, SECOND = 172, 130  # where the hang begins, and units a second
LANES = (78, 176)


def box(x, y, width, color, words, ink=BG):
    return (
        f'<rect x="{x}" y="{y - 20}" width="{width}" height="40" rx="6" '
        f'fill="{color}"/>\n' + text(x + width / 2, y + 6, words, ink, 16, 600)
    )


def draw():
    end, dump = START + SECOND * LIMIT, START + SECOND * DUMP
    out = ""
    for x, color, words in (
        (START, MUTED, ("0 s", "0 s")),
        (dump, GREEN, (f"{DUMP} s：写出调用栈", f"{DUMP} s: stacks")),
        (end, RED, (f"{LIMIT} s：超时", f"{LIMIT} s: timeout")),
    ):
        for top, bottom in ((34, LANES[0] - 22), (LANES[1] + 22, 214)):
            out += line([(x, top), (x, bottom)], color, 2, "5 5")
        out += text(x, 24, words, FG, 15)
    words = ("rank 0 在 evaluate，rank 1 在 save", "rank 0 in evaluate, rank 1 in save")
    out += text(dump, 234, words, GREEN, 15, 600)
    for rank, (y, color, call) in enumerate(
        zip(LANES, (BLUE, ORANGE), ("all_reduce", "barrier"), strict=True)
    ):
        out += text(4, y + 6, f"rank {rank}", FG, 16, 600, "start")
        out += box(66, y, 92, GREEN, ("训练", "steps"))
        out += box(START, y, SECOND * LIMIT, color, call)
    for x, start, stop in ((START + 40, *LANES), (end - 40, *LANES[::-1])):
        step = 26 if stop > start else -26
        out += arrow((x, start + step), (x, stop - step), FG, 2)
    out += text(
        START + SECOND,
        132,
        ("互相等待", "each waits for the other"),
        FG,
        16,
    )
    return figure(480, 244, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
