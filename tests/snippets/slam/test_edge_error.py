"""edge_error.py against scipy's matrix logarithm and gtsam's kernels."""

from dataclasses import replace

import gtsam
import numpy as np
import pytest
from scipy.linalg import expm, logm

from edge_error import check, jacobians, kernel, residuals, squared
from g2o_reader import PoseGraph


def wedge(xi):
    a, b, c, x, y, z = xi
    return np.array([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def vee(M):
    return np.array([*M[:3, 3], M[2, 1], M[0, 2], M[1, 0]])


@pytest.fixture
def graph():
    rng = np.random.default_rng(1)
    poses = np.array([expm(wedge(xi)) for xi in rng.normal(size=(3, 6))])
    edges = np.array([[0, 1], [2, 0], [1, 2]])
    Z = np.array([expm(wedge(xi)) for xi in rng.normal(size=(3, 6))])
    A = rng.normal(size=(3, 6, 6))
    return PoseGraph(np.arange(3), poses, edges, Z, A.mT @ A, np.zeros(3, bool))


def by_hand(graph, poses, k):
    i, j = graph.edges[k]
    inv = np.linalg.inv
    return vee(np.real(logm(inv(graph.measurements[k]) @ inv(poses[i]) @ poses[j])))


def test_residuals_and_their_squares(graph):
    e, back = residuals(graph, graph.poses)
    for k, (i, j) in enumerate(graph.edges):
        np.testing.assert_allclose(e[k], by_hand(graph, graph.poses, k), atol=1e-12)
        np.testing.assert_allclose(graph.poses[j] @ back[k], graph.poses[i], atol=1e-12)
        np.testing.assert_allclose(squared(graph, e)[k], e[k] @ graph.information[k] @ e[k])


@pytest.mark.claim(
    zh="残差对 T_i、T_j 右扰动的雅可比与中心差分一致",
    en="The residual's Jacobians for right perturbations of T_i and T_j agree with central differences",
    against_zh="scipy 的 expm 与 logm，步长 1e-5",
    against_en="scipy's expm and logm, step 1e-5",
    tolerance="1e-8",
)
def test_jacobians(graph):
    J = jacobians(*residuals(graph, graph.poses))
    h = 1e-5
    for k, ends in enumerate(graph.edges):
        for side, vertex in enumerate(ends):
            for a in range(6):
                values = []
                for sign in (1, -1):
                    poses = graph.poses.copy()
                    poses[vertex] = poses[vertex] @ expm(wedge(sign * h * np.eye(6)[a]))
                    values.append(by_hand(graph, poses, k))
                slope = (values[0] - values[1]) / (2 * h)
                np.testing.assert_allclose(J[k, :, 6 * side + a], slope, atol=1e-8)


@pytest.mark.claim(
    zh="Huber 与 Cauchy 的代价和权重与 gtsam 的 mEstimator 相同（gtsam 的代价带 ½）",
    en="Huber's and Cauchy's loss and weight are gtsam's mEstimator's (whose loss carries ½)",
    against_zh="gtsam 4.3，五种距离 × 三种宽度",
    against_en="gtsam 4.3, five distances × three widths",
    tolerance="1e-12",
)
@pytest.mark.parametrize("robust", ["huber", "cauchy"])
@pytest.mark.parametrize("width", [0.5, 1.345, 4.0])
def test_kernels(robust, width):
    theirs = getattr(gtsam.noiseModel.mEstimator, robust.title()).Create(width)
    d = np.array([0, 0.3, width, 5.0, 1e3])
    loss, weight = kernel(d**2, robust, width)
    np.testing.assert_allclose(loss, [2 * theirs.loss(v) for v in d], rtol=1e-12)
    np.testing.assert_allclose(weight, [theirs.weight(v) for v in d], rtol=1e-12)


def test_no_kernel_and_an_unknown_one():
    s = np.array([0.0, 2.0, 9.0])
    assert [a.tolist() for a in kernel(s, None, 1)] == [[0, 2, 9], [1, 1, 1]]
    with pytest.raises(ValueError, match="robust: None, 'huber' or 'cauchy', got 'tukey'"):
        kernel(s, "tukey", 1)


@pytest.mark.parametrize("name", ["poses", "measurements", "information"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite(graph, name, bad):
    array = getattr(graph, name).copy()
    array[1, 2, 3] = bad
    with pytest.raises(ValueError, match=f"graph.{name} holds nan or inf"):
        check(replace(graph, **{name: array}), 1)


def test_width_and_information(graph):
    check(graph, 1)
    one = graph.information.copy()
    one[1] = 0
    check(replace(graph, information=one), 1)
    with pytest.raises(ValueError, match="every information is 0: no pose is determined"):
        check(replace(graph, information=0 * graph.information), 1)
    for width in (0, -1, np.inf, np.nan):
        with pytest.raises(ValueError, match="width"):
            check(graph, width)
    one[2] = np.diag([1, 1, 1, 1, 1, -1e-6])
    one[0] = np.diag([1e9, 1, 1, 1, 1, -1e-2])  # for its size that is rounding
    message = "edge 20-30: its information is not positive semidefinite"
    with pytest.raises(ValueError, match=message):
        check(replace(graph, ids=np.array([10, 20, 30]), information=one), 1)
