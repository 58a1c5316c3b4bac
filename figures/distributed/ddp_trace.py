"""From the constructor to the step on two ranks, as ddp_trace.py printed it."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "figures")]
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, arrow, figure, line, text

OUT = ROOT / "docs/shared/figures/distributed/ddp-trace.svg"
LANES, WIDE, TALL = (176, 388), 124, 32
COLORS = (BLUE, ORANGE)


def recorded():
    """Per rank: {stage: [events]}."""
    printed = (ROOT / "snippets/distributed/ddp_trace.out").read_text("utf-8")
    printed = re.sub(r"\n {12}", " ", printed)  # long lines are wrapped
    ranks = re.split(r"^rank \d\n", printed, flags=re.M)[1:]
    return [
        {
            stage.strip(): events.split(", ")
            for stage, events in re.findall(r"^ (.{10}) (.*)$", rank, re.M)
        }
        for rank in ranks
    ]


def values(y, words, colors=COLORS):
    """One box in each lane."""
    out = ""
    for x, color, value in zip(LANES, colors, words, strict=True):
        out += (
            f'<rect x="{x - WIDE / 2:g}" y="{y:g}" width="{WIDE}" height="{TALL}" '
            f'rx="6" fill="{color}"/>\n'
        )
        out += text(x, y + 21, value, BG, 15, 600)
    return out


def between(y, words, both=False):
    """A collective: rank 0 to rank 1, or both ways."""
    left, right = (x + d for x, d in zip(LANES, (6, -6), strict=True))
    out = text((left + right) / 2, y - 7, words, FG, 14)
    out += arrow((left, y), (right, y), GREEN, 2.5)
    return out + (arrow((right, y), (left, y), GREEN, 2.5) if both else "")


def short(state):
    """`weight 1 seen 0` -> `w = 1, seen 0`."""
    return re.sub(r"weight (\S+) ", r"w = \1, ", state)


def draw():
    ranks = recorded()
    pick = lambda stage, start: [
        next(e for e in rank[stage] if e.startswith(start)) for rank in ranks
    ]
    for rank in ranks:  # what the arrows below say
        kinds = [[e for e in rank[s] if " " not in e] for s in rank]
        assert kinds == [
            [],
            ["allgather", "broadcast", "broadcast"],
            ["broadcast"],
            ["allreduce"],
            [],
        ]
    body, y = "", 44

    def stage(words):
        return text(8, y + 21, words, FG, 15, 600, "start")

    body += stage(("模型", "model"))
    body += values(y, map(short, pick("model", "weight")))
    y += 62
    body += stage("DDP(…)")
    body += between(y + 2, ("all-gather：参数个数", "all-gather: how many"), True)
    body += between(y + 34, ("broadcast：形状", "broadcast: shapes"))
    body += between(y + 66, ("broadcast：值", "broadcast: values"))
    y += 80
    body += values(y, map(short, pick("DDP(model)", "weight")))
    y += 62
    body += stage(("前向", "forward"))
    body += between(y + 2, ("broadcast：缓冲区", "broadcast: buffers"))
    y += 14
    body += values(y, pick("forward", "loss"))
    y += 46
    body += stage(("反向", "backward"))
    own = [e.replace("own gradient", "g =") for e in pick("backward", "own")]
    body += values(y, own)
    y += 62
    body += between(y, ("all-reduce：平均", "all-reduce: mean"), True)
    y += 12
    mean = [e.replace("gradient", "g =") for e in pick("backward", "gradient")]
    body += values(y, mean, (GREEN, GREEN))
    y += 46
    body += stage(("更新", "step"))
    body += values(y, map(short, pick("step", "weight")))
    lanes = "".join(
        line([(x, 34), (x, y)], MUTED, 2, "3 5")
        + text(x, 24, f"rank {rank}", FG, 16, 600)
        for rank, x in enumerate(LANES)
    )
    return figure(480, y + TALL + 10, lanes + body)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
