"""g2o_reader.py against scipy's quaternions, gtsam's reader, and broken files."""

from dataclasses import replace

import gtsam
import numpy as np
import pytest
from gtsam_graphs import DATA, SWAP
from scipy.spatial.transform import Rotation

from g2o_reader import read_g2o
from pose_graph import cost

UPPER = " ".join(map(str, range(1, 22)))
VERTICES = "VERTEX_SE3:QUAT 7 1 2 3 0 0 0 1\nVERTEX_SE3:QUAT 3 4 5 6 0.1 0.2 0.3 0.4\n"
EDGE = f"EDGE_SE3:QUAT 7 3 1 2 3 0 0 0 1 {UPPER}\n"


@pytest.fixture
def file(tmp_path):
    def make(text):
        path = tmp_path / "a.g2o"
        path.write_bytes(text.encode("latin-1"))
        return path

    return make


@pytest.mark.parametrize("name", ["pose3example-offdiagonal.txt", "pose3example-grid.txt", "Klaus3.g2o"])
def test_as_gtsam_reads_it(name):
    graph = read_g2o(DATA / name)
    factors, values = gtsam.readG2o(str(DATA / name), True)
    assert graph.ids.tolist() == sorted(values.keys())
    for key, pose in zip(graph.ids.tolist(), graph.poses, strict=True):
        np.testing.assert_allclose(pose, values.atPose3(key).matrix(), atol=1e-9)
    assert len(graph.edges) == factors.size()
    for k, (i, j) in enumerate(graph.edges.tolist()):
        factor = factors.at(k)
        assert factor.keys() == [graph.ids[i], graph.ids[j]]
        np.testing.assert_allclose(graph.measurements[k], factor.measured().matrix(), atol=1e-9)
        R = factor.noiseModel().R()
        ours = graph.information[k][np.ix_(SWAP, SWAP)]
        np.testing.assert_allclose(ours, R.T @ R, rtol=1e-9, atol=1e-9)
    assert not graph.fixed.any()


def test_order_comments_unknown_tags_and_fix(file):
    text = f"# caf\xe9\n\n{VERTICES}PARAMS_SE3OFFSET 0 x\nFIX 7\n{EDGE.strip()} # end\n   \nVERTEX_XY 9\n"
    graph = read_g2o(file(text))
    assert graph.ids.tolist() == [3, 7]
    assert graph.edges.tolist() == [[1, 0]]
    assert graph.fixed.tolist() == [False, True]
    np.testing.assert_array_equal(graph.poses[1], graph.measurements[0])
    np.testing.assert_array_equal(graph.poses[:, :3, 3], [[4, 5, 6], [1, 2, 3]])
    R = Rotation.from_quat([0.1, 0.2, 0.3, 0.4]).as_matrix()
    np.testing.assert_allclose(graph.poses[0, :3, :3], R, atol=1e-15)
    np.testing.assert_array_equal(graph.poses[:, 3], [[0, 0, 0, 1]] * 2)
    omega = np.zeros((6, 6))
    omega[np.triu_indices(6)] = np.arange(1, 22)
    omega += np.triu(omega, 1).T
    np.testing.assert_array_equal(graph.information, [omega])


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1, 1e200])
def test_any_quaternion_but_zero_is_normalised(file, scale):
    q = scale * np.array([0.1, -0.2, 0.3, 0.4])
    text = "VERTEX_SE3:QUAT 0 0 0 0 " + " ".join(map(repr, q.tolist()))
    expected = Rotation.from_quat([0.1, -0.2, 0.3, 0.4]).as_matrix()
    np.testing.assert_allclose(read_g2o(file(text)).poses[0, :3, :3], expected, atol=1e-15)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("VERTEX_SE3:QUAT", "'' is no vertex id"),
        ("VERTEX_SE3:QUAT 1.5 0 0 0 0 0 0 1", "'1.5' is no vertex id"),
        ("VERTEX_SE3:QUAT 1 0 0 0 0 0 1", "6 numbers, expected 7"),
        ("VERTEX_SE3:QUAT 1 0 0 0 0 0 0 1 1", "8 numbers, expected 7"),
        ("VERTEX_SE3:QUAT 1 0 0 x 0 0 0 1", "could not convert string to float: 'x'"),
        ("VERTEX_SE3:QUAT 1 0 0 inf 0 0 0 1", "nan or inf"),
        ("VERTEX_SE3:QUAT 1 1 1 1 0 0 0 0", "the quaternion is 0"),
        ("VERTEX_SE3:QUAT 7 0 0 0 0 0 0 1", "7 is there already"),
        ("EDGE_SE3:QUAT 7", "0 numbers, expected 28"),
        (EDGE.replace(" 21\n", ""), "27 numbers, expected 28"),
        (EDGE.replace(" 21\n", " nan"), "nan or inf"),
        (EDGE.replace("7 3", "7 4").strip(), "there is no vertex 4"),
        ("FIX 4", "there is no vertex 4"),
    ],
)
def test_a_bad_line_is_named(file, line, message):
    path = file(f"{VERTICES}{EDGE}{line}\n")
    with pytest.raises(ValueError) as error:
        read_g2o(path)
    assert f"{path}:4: {line.split()[0]}: " in str(error.value)
    assert message in str(error.value)


def test_a_byte_order_mark_hides_no_vertex(tmp_path):
    path = tmp_path / "a.g2o"
    path.write_text(VERTICES + EDGE, "utf-8-sig")
    assert read_g2o(path).ids.tolist() == [3, 7]


def test_planar_edges_are_skipped_and_sphere2500_has_no_vertices(file):
    planar = "EDGE_SE2 7 3 1 2 0.5 1 0 0 1 0 1\n"
    assert read_g2o(file(VERTICES + planar)).edges.shape == (0, 2)
    tags = {row.split()[0] for row in (DATA / "sphere2500.txt").read_text().splitlines()}
    assert tags == {"EDGE3"}
    with pytest.raises(ValueError, match="no VERTEX_SE3:QUAT"):
        read_g2o(DATA / "sphere2500.txt")


def test_an_edge_may_come_before_its_vertices(file):
    assert read_g2o(file(EDGE + VERTICES)).edges.tolist() == [[1, 0]]


def test_a_file_without_edges(file):
    graph = read_g2o(file(VERTICES))
    assert graph.edges.shape == (0, 2)
    assert graph.measurements.shape == (0, 4, 4)
    assert graph.information.shape == (0, 6, 6)


def test_no_file_and_no_vertex(file, tmp_path):
    with pytest.raises(OSError):
        read_g2o(tmp_path / "none.g2o")
    with pytest.raises(ValueError, match="no VERTEX_SE3:QUAT"):
        read_g2o(file("# empty\n"))


def star(errors, information):
    """A file whose vertex 0 sees a vertex at each of errors [M, 6], [t, rotation vector]; Z = I."""
    q = Rotation.from_rotvec(errors[:, 3:]).as_quat()
    upper = " ".join(map(repr, information[np.triu_indices(6)].tolist()))
    rows = ["VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1"]
    for k, pose in enumerate(np.c_[errors[:, :3], q].tolist(), 1):
        rows += [f"VERTEX_SE3:QUAT {k} " + " ".join(map(repr, pose)),
                 f"EDGE_SE3:QUAT 0 {k} 0 0 0 0 0 0 1 {upper}"]
    return "\n".join(rows), np.c_[errors[:, :3], q[:, :3]]


@pytest.mark.claim(
    zh="按 g2o 的残差 [t, q_v] 标定的信息：旋转块除以 4、交叉块除以 2 后，小残差的代价与 g2o 的相同",
    en="Information meant for g2o's residual [t, q_v]: rotation block by 4 and mixed blocks by 2, and small residuals cost what they cost in g2o",
    against_zh="由 SciPy 的四元数写出的 g2o 残差，满的信息矩阵",
    against_en="g2o's residual written out with SciPy's quaternions, a full information matrix",
    tolerance="1e-3",
)
def test_information_meant_for_g2o(file):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    text, residual = star(1e-3 * rng.normal(size=(50, 6)), A @ A.T)
    g = read_g2o(file(text))
    d = np.array([1, 1, 1, 0.5, 0.5, 0.5])
    ours = replace(g, information=g.information * np.outer(d, d))
    wanted = np.einsum("mi,ij,mj", residual, A @ A.T, residual)
    assert cost(ours) == pytest.approx(wanted, rel=1e-3)
    assert cost(g) != pytest.approx(wanted, rel=0.3)


def test_forgetting_to_scale_costs_two_and_a_half_times_the_degrees_of_freedom(file):
    sigma = np.array([0.05, 0.05, 0.05, 0.02, 0.02, 0.02])
    errors = sigma * np.random.default_rng(0).normal(size=(2000, 6))
    meant = sigma**-2 * [1, 1, 1, 4, 4, 4]
    assert meant[3:] == pytest.approx(10000)
    text, residual = star(errors, np.diag(meant))
    assert (residual**2 @ meant).mean() == pytest.approx(6, rel=0.02)
    assert cost(read_g2o(file(text))) / 2000 == pytest.approx(2.5 * 6, rel=0.02)


def test_gtsam_does_not_scale_it_either(file):
    text, residual = star(np.array([[0, 0, 0, 0, 0, 0.2]]), 6 * np.eye(6))
    path = file(text)
    factors, values = gtsam.readG2o(str(path), True)
    assert 2 * factors.error(values) == pytest.approx(6 * 0.2**2)
    assert cost(read_g2o(path)) == pytest.approx(6 * 0.2**2)
    assert 6 * (residual**2).sum() == pytest.approx(0.0598, abs=1e-4)


def test_the_poses_as_text(file, tmp_path):
    g = read_g2o(file(VERTICES))
    np.savetxt(tmp_path / "poses.txt", np.c_[g.ids, g.poses[:, :3].reshape(-1, 12)])
    rows = np.loadtxt(tmp_path / "poses.txt")
    assert rows[:, 0].tolist() == [3, 7]
    np.testing.assert_array_equal(rows[1, 1:], [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3])
