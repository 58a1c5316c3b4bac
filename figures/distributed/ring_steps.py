"""The ring all-reduce of three ranks, step by step, from ring_all_reduce.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from ring_all_reduce import ring_steps
from svg import BG, BLUE, FG, GREEN, ORANGE, arrow, figure, text

OUT = ROOT / "docs/shared/figures/distributed/ring-steps.svg"
WORLD_SIZE = 3
COLORS = (BLUE, ORANGE, GREEN)  # of the chunks
CELL, HEIGHT, PITCH, ROW, LEFT, TOP = 42, 30, 156, 82, 22, 56


def states():
    """Chunks held before each step and after the last; who sends what."""
    held = [[10**rank] * WORLD_SIZE for rank in range(WORLD_SIZE)]
    plans = [list(ring_steps(rank, WORLD_SIZE)) for rank in range(WORLD_SIZE)]
    yield [list(chunks) for chunks in held], None
    for step in zip(*plans, strict=True):
        moving = [held[rank][step[rank][0]] for rank in range(WORLD_SIZE)]
        for rank, (_, got, add) in enumerate(step):
            value = moving[rank - 1]
            held[rank][got] = held[rank][got] + value if add else value
        yield [list(chunks) for chunks in held], step


def corner(rank, chunk, row):
    return LEFT + PITCH * rank + CELL * chunk, TOP + ROW * row


def cell(rank, chunk, row, value, new):
    x, y = corner(rank, chunk, row)
    done = value == sum(10**r for r in range(WORLD_SIZE))
    color = COLORS[chunk]
    return (
        f'<rect x="{x + 2}" y="{y}" width="{CELL - 4}" height="{HEIGHT}" '
        f'rx="5" fill="{color if done else BG}" stroke="{color}" '
        f'stroke-width="{3 if new else 1.5}"/>\n'
        + text(
            x + CELL / 2,
            y + 21,
            str(value),
            BG if done else FG,
            16,
            700 if new else 400,
        )
    )


def passing(rank, chunk, row):
    """An arrow from the sender's chunk to the same one on its right."""
    right = (rank + 1) % WORLD_SIZE
    x1, y1 = corner(rank, chunk, row - 1)
    x2, y2 = corner(right, chunk, row)
    aside = 6 if right > rank else -6
    return arrow(
        (x1 + CELL / 2 + aside, y1 + HEIGHT + 3),
        (x2 + CELL / 2 - aside, y2 - 3),
        COLORS[chunk],
        2.5,
        11,
    )


def draw():
    out = ""
    for rank in range(WORLD_SIZE):
        x = LEFT + PITCH * rank + CELL * WORLD_SIZE / 2
        out += text(x, 24, f"rank {rank}", FG, 16, 700)
        for chunk in range(WORLD_SIZE):
            x, _ = corner(rank, chunk, 0)
            out += text(x + CELL / 2, 46, str(chunk), FG, 14)
    for row, (held, step) in enumerate(states()):
        for rank, chunks in enumerate(held):
            for chunk, value in enumerate(chunks):
                new = step is not None and step[rank][1] == chunk
                out += cell(rank, chunk, row, value, new)
            if step is not None:
                out += passing(rank, step[rank][0], row)
        if step is not None:
            y = TOP + ROW * row - (ROW - HEIGHT) / 2 + 5
            out += text(12, y, str(row), FG, 16, 700)
    height = TOP + ROW * (2 * (WORLD_SIZE - 1)) + HEIGHT
    out += text(
        240,
        height + 26,
        (
            "第 1、2 步累加，第 3、4 步分发；实心：已是总和 111",
            "Steps 1–2 add up, 3–4 pass on; filled: the sum, 111",
        ),
        FG,
        15,
    )
    return figure(480, height + 38, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
