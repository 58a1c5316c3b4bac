"""A spiral over a sphere, tied to its next round: odometry and closures."""

import numpy as np

from g2o_reader import PoseGraph
from pose_graph import cost, optimize, plan
from se3 import exp, inverse

SIGMA = np.array([0.05, 0.05, 0.05, 0.03, 0.03, 0.03])  # m, rad


# --8<-- [start:sphere]
def sphere(rounds: int = 20, steps: int = 24, seed: int = 0):
    """Graph and truth; each pose sees the next and the one a round later."""
    k = np.arange(rounds * steps)
    polar = 0.15 + (np.pi - 0.3) * k / len(k)
    around = 2 * np.pi * k / steps
    truth = exp(np.outer(around, [0, 0, 0, 0, 0, 1]))
    truth = truth @ exp(np.outer(polar, [0, 0, 0, 0, 1, 0]))
    truth[:, :3, 3] = 10 * truth[:, :3, 2]  # radius 10 m
    truth = inverse(truth[0]) @ truth
    edges = np.concatenate(
        [np.stack([k, k + d], 1)[: len(k) - d] for d in (1, steps)]
    )
    i, j = edges.T
    noise = SIGMA * np.random.default_rng(seed).normal(size=(len(i), 6))
    measured = inverse(truth[i]) @ truth[j] @ exp(noise)
    poses = truth.copy()
    for a in k[:-1]:
        poses[a + 1] = poses[a] @ measured[a]
    information = np.array([np.diag(SIGMA**-2)] * len(i))
    graph = PoseGraph(k, poses, edges, measured, information, k == 0)
    return graph, truth
    # --8<-- [end:sphere]


# --8<-- [start:main]
def main():
    graph, _ = sphere()
    print(f"{len(graph.poses)} poses, {len(graph.edges)} edges")
    print(f"cost {cost(graph):.0f} -> {cost(optimize(graph)):.1f}")
    system = plan(graph)
    unknowns = len(system.right)
    print(f"one dense system:  {unknowns * (unknowns + 1)} numbers")
    print(f"dissected:         {system.total} in {len(system.fronts)} groups")
    # --8<-- [end:main]


if __name__ == "__main__":
    main()
