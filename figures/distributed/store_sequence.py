"""Who sets and gets which key while two ranks join, from store_calls.out."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BLUE, FG, GREEN, MUTED, ORANGE, arrow, figure, line, text

OUT = ROOT / "docs/shared/figures/distributed/store-sequence.svg"
RECORD = ROOT / "snippets/distributed/store_calls.out"
RANKS, STORE = (60, 420), 240  # where the lifelines stand
COLOURS = (BLUE, ORANGE)


def recorded():
    """Each rank's calls in init_process_group, [(name, key), …]."""
    found = re.findall(r"rank (\d) (\w+) +(0//\S+)", RECORD.read_text("utf-8"))
    return [[(n, k) for r, n, k in found if int(r) == i] for i in (0, 1)]


def call(rank, y, name, key):
    """An arrow to the store for set and wait, from it for get."""
    x, colour = RANKS[rank], COLOURS[rank]
    side = 1 if rank == 0 else -1
    ends = (x + 4 * side, y), (STORE - 5 * side, y)
    if name == "get":
        ends = ends[::-1]
    dash = "6 5" if name == "wait" else ""
    middle = (x + STORE) // 2
    words = f"{name} …/{key.rpartition('/')[2]}"
    return arrow(*ends, colour, 2, 9, dash) + text(middle, y - 7, words)


def draw():
    first, gap = 78, 38
    calls = recorded()
    last = first + gap * (len(calls[0]) - 1)
    meet = last + 52
    out = ""
    for x, name, colour in (
        (RANKS[0], "rank 0", BLUE),
        (STORE, "Store", FG),
        (RANKS[1], "rank 1", ORANGE),
    ):
        out += text(x, 24, name, colour, 18, 600)
        out += line([(x, 36), (x, meet + 18)], MUTED, 1.5)
    for rank, ours in enumerate(calls):
        for row, (name, key) in enumerate(ours):
            out += call(rank, first + gap * row, name, key)
    middle = (RANKS[0] + 6, meet), (RANKS[1] - 6, meet)
    out += arrow(*middle, GREEN, 3, 10) + arrow(*middle[::-1], GREEN, 3, 10)
    words = ("直接连接（TCP），不再经过 Store", "connected (TCP), no Store needed")
    out += text(STORE, meet + 40, words, GREEN, 16, 600)
    return figure(480, meet + 54, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
