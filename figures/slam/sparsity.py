"""Which 6x6 blocks of H a small sphere fills: by id, and dissected."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from nested_dissection import dissect
from sphere_graph import sphere
from svg import BLUE, FG, ORANGE, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/sparsity.svg"
ROUNDS, STEPS, LEAF = 12, 8, 6
CELL, TOP = 2.5, 40


def blocks(graph, order):
    """Blocks of H and those that elimination adds, as bool [N, N]."""
    rank = np.argsort(order)
    count = len(order)
    before = np.eye(count, dtype=bool)
    i, j = rank[graph.edges.T]
    before[i, j] = before[j, i] = True
    after = before.copy()
    for k in range(count):
        later = k + 1 + np.flatnonzero(after[k, k + 1 :])
        after[np.ix_(later, later)] = True
    return before, after & ~before


def cells(mask, left, color):
    """Runs of cells of a row as one path, a cell being 1 x 1."""
    path = ""
    for r, row in enumerate(mask):
        edge = np.flatnonzero(np.diff(np.concatenate([[0], row, [0]])))
        for a, b in edge.reshape(-1, 2).tolist():
            path += f"M{a} {r}h{b - a}"
    where = f"translate({left} {TOP + CELL / 2}) scale({CELL})"
    return f'<path transform="{where}" d="{path}" stroke="{color}" fill="none"/>\n'


def draw():
    graph, _ = sphere(ROUNDS, STEPS)
    count = ROUNDS * STEPS
    neighbours = [set() for _ in range(count)]
    for i, j in graph.edges.tolist():
        neighbours[i].add(j)
        neighbours[j].add(i)
    cut = [v for g in dissect(neighbours, set(range(count)), LEAF) for v in g]
    shuffled = np.random.default_rng(0).permutation(count)
    out, size = "", CELL * count
    titles = [(("顺序打乱", "At random"), shuffled), (("嵌套剖分", "Dissected"), np.array(cut))]
    for k, (title, order) in enumerate(titles):
        left = 10 + 270 * k
        before, fill = blocks(graph, order)
        out += text(left, 26, title, FG, 17, 600, "start")
        out += cells(fill, left, ORANGE) + cells(before, left, BLUE)
        box = [(left, TOP), (left + size, TOP), (left + size, TOP + size), (left, TOP + size)]
        out += line(box, FG, 1, closed=True)
        words = (f"填充 {fill.sum()} 块", f"{fill.sum()} blocks fill in")
        out += text(left, TOP + size + 24, words, FG, 16, anchor="start")
    return figure(540, TOP + size + 40, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
