"""What a rank of four keeps and sends, from compare_strategies.py's output."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BLUE, FG, GREEN, MUTED, ORANGE, RED, figure, line, text

OUT = ROOT / "docs/shared/figures/distributed/kept-and-sent.svg"
TABLE = ROOT / "snippets/distributed/compare_strategies.out"
NAMES = {
    "none": ("单进程", "One process"),
    "DDP": "DDP",
    "ZeRO-1": "ZeRO-1",
    "FSDP2": "FSDP2",
    "TP": ("张量并行", "Tensor"),
    "PP": ("流水线并行", "Pipeline"),
}
KEPT, SENT, PITCH = 100, 330, 46
SCALE = 0.09  # units for a KiB


def rows():
    """Yield the name and the numbers of one process and of four."""
    for row in TABLE.read_text("utf-8").splitlines()[2:]:
        ranks, name, *numbers = row.strip("| ").split(" | ")
        if ranks in ("1", "4"):
            yield name, [float(number) for number in numbers]


def bar(x, y, width, color):
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="24" '
        f'fill="{color}"/>\n'
    )


def draw():
    out = text(KEPT, 20, ("保存（KiB）", "Keeps, KiB"), FG, 16, 600, "start")
    out += text(
        SENT, 20, ("每步发送（KiB）", "Sends in a step"), FG, 16, 600, "start"
    )
    legend = (
        (BLUE, ("参数", "parameters"), 100),
        (GREEN, ("梯度", "gradients"), 214),
        (ORANGE, ("Adam", "Adam"), 316),
    )
    for color, words, x in legend:
        out += bar(x, 34, 16, color).replace('height="24"', 'height="16"')
        out += text(x + 22, 48, words, FG, 15, 400, "start")
    y = 66
    for name, (params, grads, state, _, sent) in rows():
        out += text(4, y + 17, NAMES[name], FG, 15, 400, "start")
        x = KEPT
        pieces = ((params, BLUE), (grads, GREEN), (state, ORANGE))
        for size, color in pieces:
            out += bar(x, y, size * SCALE, color)
            x += size * SCALE
        total = f"{params + grads + state:.0f}"
        if x > SENT - 70:
            out += text(x - 6, y + 17, total, "var(--fig-bg)", 15, 600, "end")
        else:
            out += text(x + 6, y + 17, total, FG, 15, 400, "start")
        out += bar(SENT, y, max(sent * SCALE, 1), RED)
        at = SENT + sent * SCALE + 6
        out += text(at, y + 17, f"{sent:.0f}", FG, 15, 400, "start")
        y += PITCH if name == "none" else 36
    for x in (KEPT, SENT):
        out += line([(x, 60), (x, y - 6)], MUTED, 1.5)
    return figure(480, y + 2, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
