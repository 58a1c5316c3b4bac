"""Optimise a pose graph: Levenberg-Marquardt on SE(3), NumPy only."""

import sys
from dataclasses import replace

import numpy as np

from block_elimination import Elimination
from edge_error import check, jacobians, kernel, residuals, squared
from g2o_reader import PoseGraph, read_g2o
from nested_dissection import breadth_first, dissect
from se3 import exp


def cost(graph: PoseGraph, robust: str | None = None, width: float = 1.345):
    """Sum over the edges of the loss of e' Omega e (no factor 1/2)."""
    e, _ = residuals(graph, graph.poses)
    return kernel(squared(graph, e), robust, width)[0].sum()


def plan(graph: PoseGraph) -> Elimination | None:
    """Order the free poses. Where FIX names none, the lowest id is fixed."""
    neighbours = [set() for _ in graph.poses]
    for i, j in graph.edges.tolist():
        neighbours[i].add(j)
        neighbours[j].add(i)
    left, fixed = set(range(len(neighbours))), set(np.flatnonzero(graph.fixed))
    while left:  # a connected component at a time
        start = min(left)
        part = set().union(*breadth_first(neighbours, start, left))
        fixed |= {start} if part.isdisjoint(fixed) else set()
        left -= part
    free = set(range(len(neighbours))) - fixed
    return (
        Elimination(dissect(neighbours, free), graph.edges) if free else None
    )


def optimize(
    graph: PoseGraph,
    robust: str | None = None,
    width: float = 1.345,
    iterations: int = 100,
    tolerance: float = 1e-10,
) -> PoseGraph:
    """Return a new graph whose poses minimise cost(graph, robust, width).

    width: of the kernel, in standard deviations. Stops when what further
    steps would gain is below tolerance * cost, at the latest after so many
    iterations. Raises ValueError for an unknown kernel, numbers that are
    not finite and an information with a negative eigenvalue (naming the
    edge), or if every information is 0.
    """
    check(graph, width)
    poses, system = graph.poses.copy(), plan(graph)
    damping, growth, last = 1e-8, 2, 0.0
    e, back = residuals(graph, poses)
    loss, weight = kernel(squared(graph, e), robust, width)
    H = None
    # --8<-- [start:step]
    for _ in range(iterations if system else 0):
        if H is None:  # linearise: J' Omega [J, e], weighted
            J = jacobians(e, back)
            Je = np.concatenate([J, e[:, :, None]], axis=-1)
            A = weight[:, None, None] * graph.information
            H = system.assemble(J.swapaxes(1, 2) @ (A @ Je))
            scale = H[system.diagonal] + 1e-9 * H[system.diagonal].max()
        damped = H.copy()
        damped[system.diagonal] += damping * scale
        step = -system.solve(damped)
        trial = poses.copy()
        trial[system.order] = poses[system.order] @ exp(step.reshape(-1, 6))
        e, back = residuals(graph, trial)
        new, weight = kernel(squared(graph, e), robust, width)
        drop = loss.sum() - new.sum()
        expected = step @ (damping * scale * step - H[system.right])
        if drop > 0:  # accept, and trust the linearisation more
            gain = drop / expected
            damping *= max(0.1, 1 - (2 * gain - 1) ** 3)
            growth, poses, loss, H = 2, trial, new, None
            ahead = drop**2 / max(last - drop, 0.1 * drop)  # geometric
            last = drop
        else:
            damping, growth, ahead = damping * growth, 2 * growth, expected
        if ahead <= tolerance * loss.sum() + 1e-18:
            break
    # --8<-- [end:step]
    return replace(graph, poses=poses)


def square() -> PoseGraph:
    """Four steps of 1 m and 90 degrees; the odometry says 1.05 m and 86."""
    step = exp([[1.05, 0, 0, 0, 0, 1.5]] * 3 + [[1, 0, 0, 0, 0, np.pi / 2]])
    poses = np.array([np.eye(4)] * 4)
    for k in range(3):
        poses[k + 1] = poses[k] @ step[k]
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    information = np.array([100 * np.eye(6)] * 4)
    fixed = np.zeros(4, bool)
    return PoseGraph(np.arange(4), poses, edges, step, information, fixed)


if __name__ == "__main__":
    graph = read_g2o(sys.argv[1]) if sys.argv[1:] else square()
    print(f"{len(graph.poses)} poses, {len(graph.edges)} edges")
    print(f"cost {cost(graph):.4f} -> {cost(optimize(graph)):.4f}")
