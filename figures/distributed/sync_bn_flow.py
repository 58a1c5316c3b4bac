"""What SyncBatchNorm sends: gathered in forward, summed in backward."""

import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, arrow, figure, text

OUT = ROOT / "docs/shared/figures/distributed/sync-bn-flow.svg"
LEFT, RIGHT, MIDDLE = 112, 368, 240
SIZES = (3, 5)
LATIN = ' font-family="Arial, sans-serif"'  # or a Chinese font widens the dot


def numbers():
    """Feature 0 of sync_bn_compare.py's data: each rank's, and the joined."""
    gen = torch.Generator().manual_seed(0)
    data = torch.randn(2, sum(SIZES), 4, generator=gen, dtype=torch.float64)
    x, target = data[:, :, 0]
    n = len(x)
    mean, var = x.mean(), x.var(correction=0)
    unit = (x - mean) / (var + 1e-5).sqrt()
    grad = 2 * (unit - target)  # of the loss by the output
    ranks = []
    for part, g, u in zip(x.split(SIZES), grad.split(SIZES), unit.split(SIZES), strict=True):
        square = (part - part.mean()).square().sum()
        ranks.append([len(part), part.mean(), square, g.sum(), (g * u).sum()])
    parts = torch.tensor(ranks, dtype=torch.float64).T  # what SyncBN merges
    merged = (parts[2] + parts[0] * (parts[1] - mean) ** 2).sum()
    torch.testing.assert_close(merged, n * var)
    return ranks, [n, mean, n * var, grad.sum(), (grad * unit).sum()]


def box(x, y, w, h, color):
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="8" '
        f'fill="none" stroke="{color}" stroke-width="2"/>\n'
    )


def step(number, y, words):
    return (
        f'<circle cx="18" cy="{y - 5}" r="13" fill="{FG}"/>\n'
        + text(18, y + 1, str(number), BG, 16, 700)
        + text(40, y, words, FG, 16, 600, "start")
    )


def columns(top, rows):
    """Both ranks' numbers, an arrow from each, and the joined ones below."""
    height = 26 * len(rows) + 38
    out = ""
    for rank, (middle, color) in enumerate(((LEFT, BLUE), (RIGHT, ORANGE))):
        out += box(middle - 104, top, 208, height, color)
        out += text(middle, top + 24, f"rank {rank}", color, 16, 700)
        for i, (name, values, _) in enumerate(rows):
            y = top + 50 + 26 * i
            out += text(middle - 92, y, name, FG, 16, 400, "start", LATIN)
            out += text(middle + 92, y, show(values[rank]), color, 16, 600, "end")
        end = MIDDLE + (-60 if rank == 0 else 60)
        out += arrow((middle, top + height + 4), (end, top + height + 42), color)
    top += height + 46
    out += box(MIDDLE - 130, top, 260, 26 * len(rows) + 14, GREEN)
    for i, (name, _, value) in enumerate(rows):
        y = top + 26 + 26 * i
        out += text(MIDDLE - 116, y, name, FG, 16, 400, "start", LATIN)
        out += text(MIDDLE + 116, y, show(value), GREEN, 16, 600, "end")
    return out, top + 26 * len(rows) + 14


def show(value):
    return str(value) if isinstance(value, int) else f"{value:.3f}".replace("-", "−")


def draw():
    ranks, joined = numbers()
    names = ["n", ("均值 μ", "mean μ"), "Σ(x − μ)²", "Σg", "Σg·x̂"]
    rows = [
        (name, [ranks[r][i] for r in range(2)], joined[i])
        for i, name in enumerate(names)
    ]
    words = (
        "前向：收集 2C + 1 个数，合并",
        "Forward: gather 2C + 1 numbers, merge",
    )
    out = step(1, 22, words)
    body, bottom = columns(40, rows[:3])
    out += body
    words = ("各 rank：x̂ = (x − μ) / σ", "each rank: x̂ = (x − μ) / σ")
    out += text(MIDDLE, bottom + 26, words, FG, 16)
    y = bottom + 66
    out += (
        f'<path d="M4 {y - 24}H476" stroke="{MUTED}" stroke-width="1.5" '
        'stroke-dasharray="5 4"/>\n'
    )
    words = (
        "反向：2C 个和，再对各 rank 求和",
        "Backward: add up 2C sums of each rank",
    )
    out += step(2, y + 6, words)
    body, bottom = columns(y + 24, rows[3:])
    out += body
    words = (
        "各 rank：(g − Σg/N − x̂·Σg·x̂/N) / σ",
        "each rank: (g − Σg/N − x̂·Σg·x̂/N) / σ",
    )
    out += text(MIDDLE, bottom + 26, words, FG, 16, extra=LATIN)
    return figure(480, bottom + 40, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
