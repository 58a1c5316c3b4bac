"""pose_graph.py against gtsam's Levenberg-Marquardt on the graphs that it ships."""

import inspect
import math
import subprocess
import sys
from dataclasses import fields, replace

import gtsam
import numpy as np
import pytest
from gtsam_graphs import AS_THEY_ARE, DATA, PLANAR, SPHERES, SWAP, g2o_file, load, optimum

import pose_graph
from block_elimination import Elimination
from g2o_reader import PoseGraph
from pose_graph import cost, optimize, plan, read_g2o, square
from se3 import adjoint, exp, inverse
from square_walk import add_edge, square_walk


def cost_in_gtsam(factors, poses, ids):
    values = gtsam.Values()
    for key, pose in zip(ids.tolist(), poses, strict=True):
        values.insert(key, gtsam.Pose3(pose))
    return 2 * sum(
        f.error(values) for f in (factors.at(k) for k in range(factors.size()))
        if isinstance(f, gtsam.BetweenFactorPose3)
    )


@pytest.mark.claim(
    zh="gtsam 自带的 15 个位姿图：最小代价与 gtsam 的 LM（容差 1e-13）相同",
    en="Fifteen pose graphs that gtsam ships: the minimum is that of gtsam's LM (tolerance 1e-13)",
    against_zh="gtsam 4.3 的 readG2o 与 LevenbergMarquardtOptimizer",
    against_en="gtsam 4.3, readG2o and LevenbergMarquardtOptimizer",
    tolerance="1e-8",
)
@pytest.mark.parametrize("name", AS_THEY_ARE + SPHERES + PLANAR)
def test_the_minimum_is_that_of_gtsam(name, tmp_path):
    path = g2o_file(name, tmp_path)
    graph, (factors, values) = read_g2o(path), load(path)
    _, minimum = optimum(factors, values)
    found = optimize(graph)
    assert cost(found) == pytest.approx(minimum, rel=1e-8, abs=1e-18)
    judged = cost_in_gtsam(factors, found.poses, found.ids)
    assert judged == pytest.approx(minimum, rel=1e-8, abs=1e-18)
    if name == "sphere2500.txt":
        assert f"{minimum:.4f}" == "728.9897" and f"{cost(graph):.0f}" == "2574058"
        assert len(graph.poses) == 2500 and len(graph.edges) == 4949


def test_approximate_jacobians_stop_elsewhere(monkeypatch):
    path = DATA / "pose3example.txt"
    graph = read_g2o(path)
    assert f"{optimum(*load(path))[1]:.0f}" == f"{cost(optimize(graph)):.0f}" == "37706"

    def approximate(e, back):
        identity = np.broadcast_to(np.eye(6), (len(e), 6, 6))
        return np.concatenate([-adjoint(back), identity], -1)

    monkeypatch.setattr(pose_graph, "jacobians", approximate)
    assert f"{cost(optimize(graph)):.0f}" == "38181"


def test_large_residuals_converge_linearly():
    path = DATA / "pose3example.txt"
    graph = read_g2o(path)
    _, minimum = optimum(*load(path))
    left = [cost(optimize(graph, iterations=k)) - minimum for k in range(5, 11)]
    rates = np.divide(left[1:], left[:-1])
    assert (abs(rates - 0.3) < 0.05).all()


def test_what_the_page_says_of_gtsam_and_of_the_width():
    assert gtsam.LevenbergMarquardtParams().getAbsoluteErrorTol() == 1e-5
    mean = math.sqrt(2) * math.gamma(3.5) / math.gamma(3)  # of chi, 6 degrees
    assert f"{mean:.2f}" == "2.35"


def gtsam_graph(graph, robust, width):
    factors, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    for k, pose in enumerate(graph.poses):
        values.insert(k, gtsam.Pose3(pose))
    for (i, j), Z, omega in zip(
        graph.edges.tolist(), graph.measurements, graph.information, strict=True
    ):
        model = gtsam.noiseModel.Gaussian.Information(omega[np.ix_(SWAP, SWAP)])
        if robust:
            kernel = getattr(gtsam.noiseModel.mEstimator, robust.title()).Create(width)
            model = gtsam.noiseModel.Robust.Create(kernel, model)
        factors.add(gtsam.BetweenFactorPose3(i, j, gtsam.Pose3(Z), model))
    factors.add(gtsam.NonlinearEqualityPose3(0, gtsam.Pose3(graph.poses[0])))
    return factors, values


@pytest.mark.claim(
    zh="带 Huber、Cauchy 核的最小代价与 gtsam 相同，信息矩阵含非对角项",
    en="With Huber's and Cauchy's kernels, too, and a full information matrix, the minimum is gtsam's",
    against_zh="gtsam 4.3 的 noiseModel.Robust",
    against_en="gtsam 4.3, noiseModel.Robust",
    tolerance="1e-7",
)
@pytest.mark.parametrize("robust", [None, "huber", "cauchy"])
def test_robust_minimum_and_full_information(robust):
    graph, _ = square_walk(side=6, seed=2)
    graph = add_edge(graph, 1, 12, np.eye(4))
    A = np.random.default_rng(0).normal(size=(6, 6))
    mix = np.eye(6) + 0.2 * A
    graph = replace(graph, information=mix.T @ graph.information @ mix)
    found = optimize(graph, robust, 2.0, iterations=400)
    factors, values = gtsam_graph(graph, robust, 2.0)
    _, minimum = optimum(factors, values)
    assert cost(found, robust, 2.0) == pytest.approx(minimum, rel=1e-7)


def test_nothing_is_written():
    graph = square()
    before = {f.name: getattr(graph, f.name).copy() for f in fields(graph)}
    for f in fields(graph):
        getattr(graph, f.name).flags.writeable = False
    found = optimize(graph, "cauchy")
    assert isinstance(found, PoseGraph) and found is not graph
    for name, array in before.items():
        np.testing.assert_array_equal(getattr(graph, name), array)
    assert not np.array_equal(found.poses, graph.poses)
    np.testing.assert_array_equal(found.poses[0], graph.poses[0])


def test_poses_stay_rigid():
    poses = optimize(square_walk()[0]).poses
    R = poses[:, :3, :3]
    np.testing.assert_allclose(R @ R.mT, [np.eye(3)] * len(R), atol=1e-13)
    np.testing.assert_array_equal(poses[:, 3], [[0, 0, 0, 1]] * len(R))


def test_what_is_fixed():
    graph = square()
    named = replace(graph, fixed=np.array([False, False, True, False]))
    found = optimize(named)
    np.testing.assert_array_equal(found.poses[2], graph.poses[2])
    assert not np.allclose(found.poses[0], graph.poses[0], atol=1e-3)
    assert cost(found) == pytest.approx(cost(optimize(graph)), rel=1e-9)
    two = replace(graph, fixed=np.array([True, False, True, False]))
    found = optimize(two)
    np.testing.assert_array_equal(found.poses[[0, 2]], graph.poses[[0, 2]])
    assert cost(found) > cost(optimize(graph)) + 0.1
    assert optimize(replace(graph, fixed=np.ones(4, bool))).poses.tolist() == graph.poses.tolist()


def test_components_do_not_disturb_one_another():
    graph = square()
    twice = PoseGraph(
        np.arange(9),
        np.concatenate([graph.poses, graph.poses, graph.poses[:1]]),
        np.concatenate([graph.edges, graph.edges + 4]),
        np.concatenate([graph.measurements] * 2),
        np.concatenate([graph.information] * 2),
        np.zeros(9, bool),
    )
    found, one = optimize(twice), optimize(graph)
    np.testing.assert_allclose(found.poses[:4], one.poses, atol=1e-6)
    np.testing.assert_allclose(found.poses[4:8], one.poses, atol=1e-6)
    np.testing.assert_array_equal(found.poses[[0, 4, 8]], twice.poses[[0, 4, 8]])
    assert sorted(plan(twice).order.tolist()) == [1, 2, 3, 5, 6, 7]


def test_a_graph_without_edges_and_an_edge_to_itself():
    graph = square()
    none = replace(
        graph, edges=np.empty((0, 2), int), measurements=np.empty((0, 4, 4)),
        information=np.empty((0, 6, 6)),
    )
    np.testing.assert_array_equal(optimize(none).poses, graph.poses)
    assert cost(none) == 0
    loop = add_edge(graph, 2, 2, graph.measurements[0])
    rest = cost(loop) - cost(graph)
    assert cost(optimize(loop)) == pytest.approx(cost(optimize(graph)) + rest, rel=1e-9)


def test_an_unseen_direction_stays_put():
    """Information 0 in z: the equations are singular but for the damping."""
    graph = square()
    weights = np.diag([100.0, 100, 0, 100, 100, 100])
    found = optimize(replace(graph, information=np.array([weights] * 4)))
    assert np.isfinite(found.poses).all()
    assert cost(found) < cost(graph)


def test_bad_input():
    graph = square()
    with pytest.raises(ValueError, match="every information is 0"):
        optimize(replace(graph, information=0 * graph.information))
    information = graph.information.copy()
    information[1, 4, 4] = -1
    with pytest.raises(ValueError, match="edge 1-2: its information is not positive"):
        optimize(replace(graph, information=information))
    with pytest.raises(ValueError, match="'huber' or 'cauchy', got 'tukey'"):
        optimize(graph, robust="tukey")
    poses = graph.poses.copy()
    poses[1, 0, 3] = np.nan
    with pytest.raises(ValueError, match="graph.poses holds nan or inf"):
        optimize(replace(graph, poses=poses))
    with pytest.raises(ValueError, match="width"):
        optimize(graph, "huber", width=0)


def test_iterations_are_few_and_limited(monkeypatch):
    graph = read_g2o(DATA / "pose3example-grid.txt")
    calls = []
    real = pose_graph.jacobians
    monkeypatch.setattr(pose_graph, "jacobians", lambda *a: calls.append(1) or real(*a))
    optimize(graph)
    assert len(calls) == 3
    calls.clear()
    optimize(graph, iterations=1)  # not there yet, and no error
    assert len(calls) == 1
    assert inspect.signature(optimize).parameters["iterations"].default == 100
    calls.clear()
    optimize(optimize(graph, tolerance=1e-13))
    assert len(calls) <= 7


@pytest.fixture
def solves(monkeypatch):
    """The diagonals solved with, one list for each linearisation."""
    lists, linearise, solve = [], pose_graph.jacobians, Elimination.solve
    monkeypatch.setattr(
        pose_graph, "jacobians", lambda *a: lists.append([]) or linearise(*a)
    )

    def spy(self, system):
        lists[-1].append(system[self.diagonal].copy())
        return solve(self, system)

    monkeypatch.setattr(Elimination, "solve", spy)
    return lists


@pytest.mark.parametrize("seed", [3, 5, 11])
def test_a_bad_start_is_damped(seed, solves):
    """Poses thrown about by metres and radians: steps are refused, damping grows."""
    graph, truth = square_walk(side=5)
    noise = np.random.default_rng(seed).normal(size=(20, 6))
    far = truth @ exp(noise * [5, 5, 5, 1.2, 1.2, 1.2])
    far[0] = truth[0]
    best = cost(optimize(graph))
    solves.clear()
    assert cost(optimize(replace(graph, poses=far))) == pytest.approx(best, rel=1e-8)
    refused = [d for d in solves if len(d) > 2]
    assert refused and sum(map(len, solves)) < 30
    for first, second, third, *_ in refused:  # doubled, then times four
        np.testing.assert_allclose(third - second, 6 * (second - first), rtol=1e-4)


def test_a_perfect_graph_is_done_at_once(solves):
    graph, truth = square_walk(side=3)
    i, j = graph.edges.T
    perfect = replace(graph, measurements=inverse(truth[i]) @ truth[j])
    found = optimize(perfect)
    assert cost(found) < 1e-18 and sum(map(len, solves)) < 9
    np.testing.assert_allclose(found.poses, truth, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "4 poses, 4 edges\ncost 9.2050 -> 1.2846"),
        ([str(DATA / "toyExample.g2o")], "5 poses, 6 edges\ncost 4180.6493 -> 0.0000"),
    ],
)
def test_the_command(arguments, line):
    run = subprocess.run(
        [sys.executable, pose_graph.__file__, *arguments],
        capture_output=True, text=True, check=True, timeout=60,
    )
    assert run.stdout == f"{line}\n"
