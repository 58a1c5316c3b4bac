"""How DistributedSampler deals 10 samples to 4 ranks, from sampler.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from sampler import shards
from svg import BG, BLUE, FG, RED, figure, text

OUT = ROOT / "docs/shared/figures/distributed/sampler-shards.svg"
CELL = 44


def cell(x, y, index, kind):
    fill, ink, dash = {
        "once": (BLUE, BG, ""),
        "again": (RED, BG, ""),
        "lost": ("none", FG, 'stroke-dasharray="5 4"'),
    }[kind]
    stroke = FG if kind == "lost" else fill
    return (
        f'<rect x="{x + 3}" y="{y + 3}" width="{CELL - 6}" '
        f'height="{CELL - 6}" rx="6" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="1.5" {dash}/>\n'
        + text(x + CELL // 2, y + CELL // 2 + 6, str(index), ink, 17, 600)
    )


def grid(x, y, dealt):
    """One row a rank; a sample that was dealt before is drawn as `again`."""
    out, seen = "", set()
    for column in range(max(map(len, dealt))):
        for rank, indices in enumerate(dealt):
            if column < len(indices):
                index = indices[column]
                kind = "again" if index in seen else "once"
                seen.add(index)
                out += cell(x + CELL * column, y + CELL * rank, index, kind)
    return out, seen


def draw():
    left, right, top = 70, 280, 62
    out = text(
        left, 24, ("默认：补齐", "Default: fill up"), FG, 16, 600, "start"
    )
    words = ("drop_last：丢掉", "drop_last: lose")
    out += text(right, 24, words, FG, 16, 600, "start")
    for rank in range(4):
        y = top + CELL * rank + 8
        out += text(8, y, f"rank {rank}", FG, 16, 400, "start")
    filled, _ = grid(left, top - 20, shards(10, 4, shuffle=False))
    dropped, kept = grid(
        right, top - 20, shards(10, 4, shuffle=False, drop_last=True)
    )
    out += filled + dropped
    for row, index in enumerate(sorted(set(range(10)) - kept)):
        out += cell(right + CELL * 3, top - 20 + CELL * row, index, "lost")
    y = top + CELL * 4 + 4
    out += text(
        left,
        y,
        ("0、1 各算了两次", "0 and 1 count twice"),
        RED,
        15,
        600,
        "start",
    )
    out += text(
        right, y, ("8、9 未被使用", "8 and 9 go unused"), FG, 15, 600, "start"
    )
    return figure(480, y + 12, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
