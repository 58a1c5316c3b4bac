"""What the context holds after binding: one block for both inputs, or two."""

import contextlib
import io
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/deployment"), str(ROOT / "figures")]
import right_dangling
import wrong_dangling
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, RED, arrow, figure, text

OUT = ROOT / "docs/shared/figures/deployment/held-copies.svg"


def printed(module):
    """Return (distinct addresses, after - before) as the snippet prints them."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        module.main()
    addresses, change = out.getvalue().splitlines()
    return int(addresses.split()[-1]), float(change.split()[-1])


def block(x, y, value, color, words="", dash=""):
    out = (
        f'<rect x="{x}" y="{y}" width="96" height="44" rx="6" '
        f'fill="{"none" if dash else color}" stroke="{color}" stroke-width="2"'
        + (f' stroke-dasharray="{dash}"' if dash else "")
        + "/>\n"
    )
    ink = FG if dash else BG
    return out + text(x + 48, y + 29, words or value, ink, 17, 600)


def panel(top, title, color, shared, result):
    out = text(8, top + 18, title, color, 17, 700, "start")
    for row, (name, value, ink) in enumerate((("before", "1", BLUE), ("after", "8", ORANGE))):
        y = top + 34 + 62 * row
        out += text(8, y + 28, name, ink, 16, 600, "start")
        out += block(78, y, value, ink)
        gone = shared and row == 0
        out += arrow((178, y + 22), (226, y + 22), ink)
        if gone:
            words = ("已释放", "freed")
            out += block(230, y, "", MUTED, words, "5 4")
        else:
            out += block(230, y, value, ink)
        target = y + 62 if gone else y
        out += arrow((392, y + 22), (330, target + 22), RED if gone else FG, 2.5)
        out += text(398, y + 28, name, FG, 16, 400, "start")
    y = top + 34 + 62 * 2
    out += text(78 + 48, y + 12, ("不连续的视图", "strided view"), FG, 14)
    out += text(230 + 48, y + 12, ("连续的副本", "contiguous copy"), FG, 14)
    out += text(428, y + 12, ("context 的地址", "in the context"), FG, 14)
    words = f"after − before = {result:g}"
    return out + text(472, top + 18, words, color, 17, 700, "end")


def draw():
    (one, wrong), (two, right) = printed(wrong_dangling), printed(right_dangling)
    assert (one, two) == (1, 2)
    out = panel(4, ("只留地址", "address only"), RED, True, wrong)
    out += panel(196, ("留住副本", "copies kept"), GREEN, False, right)
    return figure(480, 376, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
