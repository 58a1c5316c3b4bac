"""How far the scan is off at each iteration: good start, bad start, outliers."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from icp_scene import about_z, scene
from registration import icp_steps
from svg import BLUE, GREEN, ORANGE, RED, Axes, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/icp-error.svg"


def errors(outliers, T0, keep):
    """Root mean square distance of the scan from its true place, metres."""
    scan, room, T_true = scene(outliers)
    points = np.column_stack([scan, np.ones(len(scan))])
    steps = icp_steps(scan, room, T0, 100, 1e-9, np.inf, keep)
    return [np.sqrt((((T - T_true) @ points.T) ** 2).sum(0).mean()) for T, _, _ in steps]


def draw():
    axes = Axes(58, 34, 412, 270, (0, 40), (0.001, 10), log=(False, True))
    out = axes.frame([0, 10, 20, 30, 40], [0.001, 0.01, 0.1, 1, 10], ("迭代次数", "iteration"),
                     ("扫描点离真实位置，均方根（米）",
                      "scan points off their true places, RMS (m)"), size=16)
    runs = [
        (RED, errors(0, about_z(30), 1), ("起点偏 45°", "start 45° off"), (15.3, 2.05)),
        (ORANGE, errors(24, np.eye(4), 1), ("20% 外点", "20% outliers"), (14.3, 0.44)),
        (GREEN, errors(24, np.eye(4), 0.75), ("20% 外点，keep=0.75", "20% outliers, keep=0.75"),
         (17.5, 0.045)),
        (BLUE, errors(0, np.eye(4), 1), ("无外点", "no outliers"), (4, 0.009)),
    ]
    for color, values, words, at in runs:
        out += line([(round(x, 1), round(y, 1)) for x, y in
                     axes.points(range(len(values)), values)], color, 3)
        x, y = axes.at(*at)
        out += text(round(x), round(y), words, color, 16, 600, "start")
    return figure(490, 360, out, shown=600)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
