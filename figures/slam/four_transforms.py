"""One square with a grid through four transforms, from plane_transforms.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from plane_transforms import TRANSFORMS, move
from svg import BLUE, FG, GREEN, MUTED, ORANGE, RED, dots, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/four-transforms.svg"
WORDS = {
    "rigid": ("刚体：长度", "rigid: lengths", BLUE),
    "similarity": ("相似：角度", "similarity: angles", GREEN),
    "affine": ("仿射：平行", "affine: parallels", ORANGE),
    "projective": ("射影：直线", "projective: lines", RED),
}
UNIT = 104


def draw():
    out = ""
    for k, (name, H) in enumerate(TRANSFORMS.items()):
        zh, en, color = WORDS[name]
        left, floor = 62 + 240 * (k % 2), 182 + 216 * (k // 2)

        def at(p, left=left, floor=floor):
            return round(left + UNIT * p[0], 1), round(floor - UNIT * p[1], 1)

        square = [[0, 0], [1, 0], [1, 1], [0, 1]]
        out += line([at(p) for p in square], MUTED, 1.5, "4 4", closed=True)
        for s in np.linspace(0, 1, 5):
            for ends in ([[s, 0], [s, 1]], [[0, s], [1, s]]):
                width = 3 if s in (0, 1) else 1.2
                out += line([at(p) for p in move(H, np.array(ends))], color, width)
        out += dots([at(p) for p in move(H, np.array([[0, 0]]))], FG, 4)
        out += text(left + 56, floor + 24, (zh, en), color, 16, 600)
    return figure(480, 430, out, 560)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
