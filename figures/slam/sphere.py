"""The spiral on a sphere: odometry alone, and optimised."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "figures")]
import numpy as np
from pose_graph import optimize
from sphere_graph import sphere
from svg import BLUE, FG, GREEN, figure, line, text

OUT = ROOT / "docs/shared/figures/slam/sphere.svg"
TURN, TILT = 0.6, 0.45  # radians


def spots(points, scale, centre):
    """Orthographic, seen from slightly above."""
    x, y, z = (points - points.mean(axis=0)).T
    u = np.cos(TURN) * x + np.sin(TURN) * y
    depth = np.cos(TURN) * y - np.sin(TURN) * x
    v = np.cos(TILT) * z + np.sin(TILT) * depth
    return [(round(centre[0] + scale * a, 1), round(centre[1] - scale * b, 1))
            for a, b in zip(u, v, strict=True)]


def panel(poses, truth, scale, centre, color):
    """In the frame of the true sphere, upright: its axis is z."""
    up = np.linalg.inv(truth[0])[:3, :3]
    tilt = np.array([[np.cos(0.15), 0, np.sin(0.15)], [0, 1, 0], [-np.sin(0.15), 0, np.cos(0.15)]])
    points = poses[:, :3, 3] @ (tilt @ up).T
    at = spots(points, scale, centre)
    return line(at, color, 1.5)


def draw():
    graph, truth = sphere()
    found = optimize(graph)
    out = text(20, 24, ("里程计", "Odometry"), FG, 17, 600, "start")
    out += panel(graph.poses, truth, 9.5, (140, 165), BLUE)
    out += text(300, 24, ("优化之后", "Optimised"), FG, 17, 600, "start")
    out += panel(found.poses, truth, 11.5, (410, 165), GREEN)
    return figure(540, 300, out)


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
