"""Time optimize() against gtsam on the pose graphs that gtsam's wheel ships.

    python benchmarks/pose_graph.py > snippets/slam/pose_graph_benchmark.txt

Both read the same file and start from the same poses; each stops by its own
defaults (gtsam's LevenbergMarquardtOptimizer at a relative decrease of 1e-5).
Both run on one core; the time is the least of --repeat, reading left out. The
costs are sums of e' Omega e, judged by the same function. Run it on an idle machine.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as many as gtsam uses
ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "snippets/slam"), str(ROOT / "tests/snippets/slam")]
from dataclasses import replace  # noqa: E402

import gtsam  # noqa: E402
import numpy as np  # noqa: E402
from gtsam_graphs import LARGE, SPHERES, g2o_file, load  # noqa: E402

from pose_graph import cost, optimize, read_g2o  # noqa: E402

THEIRS = "gtsam's"
GRAPHS = ["pose3example-grid.txt", "w100.graph", *SPHERES, *LARGE]


def least(function, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return result, min(times)


def row(name, folder, repeat):
    path = g2o_file(name, folder)
    graph, (factors, values) = read_g2o(path), load(path)
    ours, seconds = least(lambda: optimize(graph), repeat)
    found, theirs = least(
        lambda: gtsam.LevenbergMarquardtOptimizer(factors, values).optimize(), repeat)
    poses = np.array([found.atPose3(k).matrix() for k in graph.ids.tolist()])
    costs = cost(ours), cost(replace(graph, poses=poses))
    return (f"{Path(name).stem:22} {len(graph.poses):5} {len(graph.edges):5} "
            f"{costs[0]:12.7g} {costs[1]:12.7g} "
            f"{seconds:7.3f} {theirs:7.3f} {seconds / theirs:5.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    print(f"{'graph':22} {'poses':>5} {'edges':>5} {'cost':>12} {THEIRS:>12} "
          f"{'seconds':>7} {THEIRS:>7} ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name in GRAPHS:
            print(row(name, Path(folder), repeat), flush=True)


if __name__ == "__main__":
    main()
