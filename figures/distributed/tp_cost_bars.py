"""What a rank holds and sends for W = 1, 2, 4, as tp_cost.py printed it."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "figures"))
from svg import BLUE, FG, GREEN, MUTED, ORANGE, figure, text

OUT = ROOT / "docs/shared/figures/distributed/tp-cost.svg"
PRINTED = ROOT / "snippets/distributed/tp_cost.out"
LEFT, WIDTH = 66, 300


def printed(name):
    """The numbers after a name, one for each W."""
    found = re.findall(rf"{name} ([\d,]+) B", PRINTED.read_text("utf-8"))
    return [int(number.replace(",", "")) for number in found]


def bar(x, y, width, color):
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="22" '
        f'fill="{color}"/>\n'
    )


def swatch(x, color):
    return f'<rect x="{x}" y="9" width="16" height="16" fill="{color}"/>\n'


def group(y, words, values, parts):
    """Bars of all W; `parts` are (color, share of each W's bar)."""
    out = text(8, y, words, FG, 16, 600, "start")
    scale = WIDTH / max(values)
    for row, (size, value) in enumerate(zip((1, 2, 4), values, strict=True)):
        top, x = y + 12 + 30 * row, LEFT
        out += text(8, top + 17, f"W = {size}", FG, 15, 400, "start")
        for color, numbers in parts:
            out += bar(x, top, numbers[row] * scale, color)
            x += numbers[row] * scale
        out += text(x + 8, top + 17, f"{value:,} B", FG, 15, 400, "start")
    return out


def draw():
    held, cache, sent = map(printed, ("parameters", "cache", "ring"))
    split = 2 * (held[0] - held[1])
    whole = [held[0] - split] * 3
    out = group(
        22,
        ("参数", "Parameters"),
        held,
        [
            (MUTED, whole),
            (BLUE, [h - w for h, w in zip(held, whole, strict=True)]),
        ],
    )
    out += swatch(150, MUTED) + swatch(316, BLUE)
    words = ("各 rank 都有", "whole on each")
    out += text(174, 22, words, FG, 15, 400, "start")
    out += text(340, 22, ("切开", "split"), FG, 15, 400, "start")
    words = ("每个 token 的 KV 缓存", "KV cache for a token")
    out += group(160, words, cache, [(GREEN, cache)])
    words = ("每生成一个 token 发送", "Sent for a token")
    out += group(298, words, sent, [(ORANGE, sent)])
    return figure(480, 408, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
