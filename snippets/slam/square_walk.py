"""A simulated lap around a square of 15 m, measured with noise."""

from dataclasses import replace

import numpy as np

from g2o_reader import PoseGraph
from se3 import exp

SIGMA = np.array([0.05, 0.05, 0.05, 0.02, 0.02, 0.02])  # m, rad


# --8<-- [start:walk]
def square_walk(side: int = 15, seed: int = 5):
    """The graph of one lap, in steps of 1 m, and the true poses [N, 4, 4].

    The poses are the odometry chained up. The last edge, from the last
    pose to pose 0, is the loop closure.
    """
    ids = np.arange(4 * side)
    step, turn = np.zeros((2, len(ids), 6))
    step[:, 0], turn[side - 1 :: side, 5] = 1, np.pi / 2
    motion = exp(step) @ exp(turn)
    noise = SIGMA * np.random.default_rng(seed).normal(size=(len(ids), 6))
    measured = motion @ exp(noise)
    truth, poses = np.array([[np.eye(4)] * len(ids)] * 2)
    for k in ids[:-1]:
        truth[k + 1] = truth[k] @ motion[k]
        poses[k + 1] = poses[k] @ measured[k]
    edges = np.stack([ids, np.roll(ids, -1)], axis=1)
    information = np.array([np.diag(SIGMA**-2)] * len(ids))
    graph = PoseGraph(ids, poses, edges, measured, information, ids == 0)
    return graph, truth
    # --8<-- [end:walk]


def add_edge(graph: PoseGraph, i: int, j: int, measured) -> PoseGraph:
    """A new graph with one more edge, as certain as the first."""
    return replace(
        graph,
        edges=np.append(graph.edges, [[i, j]], 0),
        measurements=np.append(graph.measurements, [measured], 0),
        information=np.append(graph.information, graph.information[:1], 0),
    )


def position_error(graph: PoseGraph, truth: np.ndarray) -> float:
    """Root mean square distance to the true positions, metres."""
    gap = graph.poses[:, :3, 3] - truth[:, :3, 3]
    return float(np.sqrt((gap**2).sum(axis=1).mean()))
