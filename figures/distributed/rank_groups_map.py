"""Two nodes of two GPUs: ranks, local ranks, groups, from rank_groups.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from rank_groups import GPUS_PER_NODE, node_groups
from svg import BLUE, FG, GREEN, MUTED, ORANGE, figure, text

OUT = ROOT / "docs/shared/figures/distributed/rank-groups.svg"
WORLD_SIZE = 4
BOX, GAP = 98, 10  # a process
COLORS = (BLUE, ORANGE)


def frame(x, y, width, height, color, stroke=2, dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" '
        f'fill="none" stroke="{color}" stroke-width="{stroke}"{dashes}/>\n'
    )


def process(x, y, rank, color):
    local_rank = rank % GPUS_PER_NODE
    middle = x + BOX / 2
    out = frame(x, y, BOX, 92, FG, 1.5)
    out += text(middle, y + 25, f"rank {rank}", FG, 17, 700)
    out += text(middle, y + 52, f"local {local_rank}", FG, 15)
    gpu = f"cuda:{local_rank}"
    return out + text(middle, y + 78, gpu, FG, 15)


def draw():
    out = ""
    groups = node_groups(WORLD_SIZE)
    wide = GPUS_PER_NODE * (BOX + GAP) + GAP
    for node, (members, color) in enumerate(zip(groups, COLORS, strict=True)):
        left = 18 + node * (wide + 8)
        words = (f"节点 {node}（一台机器）", f"node {node} (a machine)")
        out += text(left + wide / 2, 58, words, FG, 16, 600)
        out += frame(left, 70, wide, 162, MUTED, 1.5, "5 4")
        for place, rank in enumerate(members):
            x = left + GAP + place * (BOX + GAP)
            out += process(x, 84, rank, color)
        out += frame(left + 8, 188, wide - 16, 32, color)
        words = (f"进程组 {members}", f"group {members}")
        out += text(left + wide / 2, 210, words, color, 16, 600)
    span = 2 * wide + 8
    out += frame(18, 246, span, 34, GREEN)
    everyone = sum(groups, [])
    words = (
        f"默认进程组 {everyone}，world size = {len(everyone)}",
        f"default group {everyone}, world size = {len(everyone)}",
    )
    out += text(18 + span / 2, 269, words, GREEN, 16, 600)
    words = (
        "一个方框是一个进程，用一块 GPU",
        "A box is one process, with a GPU of its own",
    )
    out += text(18 + span / 2, 26, words, FG, 16)
    return figure(span + 36, 292, out, 620)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
