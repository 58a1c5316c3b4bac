"""Steps of both ranks in attempts 0 and 1 of elastic_train.py --kill-at=14."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from elastic_train import BATCH, EPOCHS, SAVE_EVERY, make_dataset
from svg import BG, BLUE, FG, GREEN, ORANGE, RED, arrow, figure, line, text

OUT = ROOT / "docs/shared/figures/distributed/kill-and-restart.svg"
FOLDER = ROOT / "snippets/distributed"
LEFT, PITCH, BOX = 62, 13.4, 11.4


def box(x, y, color, fill):
    return (
        f'<rect x="{x:.5g}" y="{y:g}" width="{BOX}" height="26" rx="2" '
        f'fill="{fill}" stroke="{color}" stroke-width="1.5"/>\n'
    )


def lanes(slot, y, steps, again):
    """Both ranks' steps from a slot on; those done before are hollow."""
    out = ""
    for i, step in enumerate(steps):
        x = LEFT + PITCH * (slot + i)
        for lane, color in enumerate((BLUE, ORANGE)):
            fill = BG if step in again else color
            out += box(x, y + 34 * lane, color, fill)
    return out


def saves(slot, y, steps):
    """A mark after each step that was saved, with the number of steps done."""
    out = ""
    for i, step in enumerate(steps):
        if (step + 1) % SAVE_EVERY == 0:
            x = LEFT + PITCH * (slot + i + 1) - 1
            out += line([(x, y - 6), (x, y + 72)], GREEN, 3)
            out += text(x, y - 12, str(step + 1), GREEN, 15, 600)
    return out


def names(y):
    return "".join(
        text(54, y + 19 + 34 * lane, f"rank {lane}", color, 15, 600, "end")
        for lane, color in enumerate((BLUE, ORANGE))
    )


def draw():
    kill = int(re.search(r"--kill-at=(\d+)", (FOLDER / "kill_and_restart.sh").read_text())[1])
    printed = (FOLDER / "kill_and_restart.out").read_text()
    first = int(re.search(r"attempt 1: from step (\d+)", printed)[1])
    total = EPOCHS * len(make_dataset()) // BATCH
    y0, y1 = 66, 236

    words = ("第 0 次尝试：从第 0 步开始", "Attempt 0: from step 0")
    out = text(6, 24, words, FG, 16, 600, "start")
    out += names(y0) + lanes(0, y0, range(kill), ()) + saves(0, y0, range(kill))
    x = LEFT + PITCH * kill + 8
    for a, b in ((-1, 1), (1, -1)):
        out += line([(x + 7 * a, y0 + 40), (x + 7 * b, y0 + 54)], RED, 3)
    out += text(x + 12, y0 + 53, f"SIGKILL, step {kill}", RED, 15, 600, "start")
    words = ("连接断开，也退出", "peer lost: ends too")
    out += text(x + 12, y0 + 19, words, FG, 15, 400, "start")

    x = LEFT + PITCH * first - 1
    out += line([(x, y0 + 72), (x, y0 + 104), (LEFT - 1, y0 + 104)], GREEN, 2, "5 4")
    out += arrow((LEFT - 1, y0 + 104), (LEFT - 1, y1 - 8), GREEN, 2)
    words = (f"读 run.pt：已完成 {first} 步", f"read run.pt: {first} steps done")
    out += text(x + 8, y0 + 104, words, GREEN, 15, 600, "start")

    words = (f"第 1 次尝试：从第 {first} 步继续", f"Attempt 1: from step {first}")
    out += text(LEFT + 12, y1 - 38, words, FG, 16, 600, "start")
    again = range(first, kill)
    out += names(y1) + lanes(0, y1, range(first, total), again)
    out += saves(0, y1, range(first, total))
    words = (
        f"空心：第 {first}、{kill - 1} 步重做一遍",
        f"hollow: steps {first} and {kill - 1} done again",
    )
    out += text(LEFT, y1 + 96, words, FG, 15, 400, "start")
    words = ("绿线：存盘，数字是已完成的步数", "green: a save, and the steps done")
    out += text(LEFT, y1 + 118, words, FG, 15, 400, "start")
    return figure(480, 364, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
