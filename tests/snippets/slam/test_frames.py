"""frames.py and homogeneous.py against gtsam, equations solved, and coordinates by hand."""

import math
import runpy
from pathlib import Path

import gtsam
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

import frames
import homogeneous

SNIPPETS = [
    "slam/frames.py",
    "slam/homogeneous.py",
    "slam/wrong_camera_centre.py",
    "slam/right_camera_centre.py",
]
FOLDER = Path(frames.__file__).parent
vectors = arrays(np.float64, 3, elements=st.floats(-10, 10, allow_subnormal=False))


def rotation(phi):
    return Rotation.from_rotvec(phi).as_matrix()


@pytest.mark.claim(
    zh="T_cw 的相机在 −Rᵀt：把相机中心代进 T_cw 得原点，t_cw 则是世界原点在相机系的坐标",
    en="The camera of T_cw stands at −Rᵀt: T_cw takes that point to zero, and t_cw is where the world's origin goes",
    against_zh="gtsam 的 Pose3 求逆与变换，numpy 解线性方程（hypothesis 随机取位姿）",
    against_en="gtsam's Pose3 inverse and transform, and numpy solving the equations (hypothesis chooses poses)",
    tolerance="1e-14 |t|",
)
@given(vectors, vectors)
def test_camera_centre(phi, t):
    T_cw = frames.pose(rotation(phi), t)
    pose = gtsam.Pose3(gtsam.Rot3(rotation(phi)), t)
    assert (T_cw == pose.matrix()).all()
    centre, size = frames.camera_centre(T_cw), 1e-99 + 1e-14 * np.linalg.norm(t)
    assert np.abs(centre - pose.inverse().translation()).max() <= size
    assert np.abs(centre - np.linalg.solve(T_cw[:3, :3], -t)).max() <= size
    assert np.abs(pose.transformFrom(centre)).max() <= size
    assert (pose.transformFrom(np.zeros(3)) == T_cw[:3, 3]).all()


@given(vectors, vectors, vectors)
def test_columns_are_the_axes_of_the_other_frame(phi, t, p):
    """Errata 1: b's origin, then along b's axes, all measured in a."""
    R = rotation(phi)
    T = frames.pose(R, t)
    walked = t + p[0] * R[:, 0] + p[1] * R[:, 1] + p[2] * R[:, 2]
    assert np.abs((T @ [*p, 1])[:3] - walked).max() < 1e-13
    assert ((T @ [0, 0, 0, 1])[:3] == t).all()


@given(vectors, vectors, vectors)
def test_the_matrix_of_dot_products_is_the_transpose(phi, psi, v):
    """Errata 2: M with e_i · e'_j gives a = M a', and R in a' = R a is Mᵀ."""
    e, e_new = rotation(phi), rotation(psi)  # two bases, as columns
    M = np.array([[math.fsum(e[:, i] * e_new[:, j]) for j in range(3)] for i in range(3)])
    a = np.array([v @ e[:, k] for k in range(3)])
    a_new = np.array([v @ e_new[:, k] for k in range(3)])
    assert np.abs(a - M @ a_new).max() < 1e-13
    assert np.abs(a_new - M.T @ a).max() < 1e-13


def test_batches_and_bad_input():
    R, t = np.tile(np.eye(3), (5, 1, 1)), np.arange(15).reshape(5, 3)
    T = frames.pose(R, t)
    assert T.shape == (5, 4, 4) and (T[:, 3] == [0, 0, 0, 1]).all()
    assert (frames.camera_centre(T) == -t).all()
    assert frames.pose(np.eye(3), t).shape == (5, 4, 4)
    with pytest.raises(ValueError, match=r"pose: expected \[..., 3, 3\], got \(4, 4\)"):
        frames.pose(np.eye(4), t)
    with pytest.raises(ValueError, match=r"camera_centre: expected \[..., 4, 4\]"):
        frames.camera_centre(np.eye(3))
    with pytest.raises(ValueError, match="expected finite numbers"):
        frames.camera_centre(np.full((4, 4), np.nan))


def test_the_example(capsys):
    found = runpy.run_path(str(FOLDER / "frames.py"), run_name="__main__")
    c, s = -math.sqrt(3) / 2, 0.5  # of 150°
    assert np.abs(found["R_wc"] - [[c, -s, 0], [s, c, 0], [0, 0, 1]]).max() < 1e-15
    lines = capsys.readouterr().out.splitlines()
    p_w = [4 + c + 2 * s, 2 + s - 2 * c, 0]
    assert lines[1] == f"p_w  = {np.round(p_w, 3)} in the world's"
    assert lines[2] == "t_wc = [4. 2. 0.]"
    t_cw = [-(c * 4 + s * 2), -(-s * 4 + c * 2), 0]
    assert lines[3] == f"t_cw = {np.round(t_cw, 3)}" == "t_cw = [2.464 3.732 0.   ]"
    assert lines[4] == "camera_centre(T_cw) = [4. 2. 0.]"


def test_wrong_and_right_place(capsys):
    found = runpy.run_path(str(FOLDER / "wrong_camera_centre.py"))
    c, s = -math.sqrt(3) / 2, 0.5
    off = math.dist((4, 2), (-(c * 4 + s * 2), s * 4 - c * 2))
    assert abs(np.linalg.norm(found["place"] - [4, 2, 0]) - off) < 1e-12
    assert capsys.readouterr().out == f"place: [2.46 3.73 0.  ]\noff by {off:.2f} m\n"
    assert f"{off:.2f}" == "2.31"
    given_, found = found["T_cw"], runpy.run_path(str(FOLDER / "right_camera_centre.py"))
    assert (found["T_cw"] == given_).all()
    assert np.abs(found["place"] - [4, 2, 0]).max() < 1e-14
    assert capsys.readouterr().out == "place: [4. 2. 0.]\noff by 0.00 m\n"


def test_chain(capsys):
    """The lidar looks 30° down, 1 m ahead of and 2 m above a body that faces y."""
    homogeneous.main()
    lines = capsys.readouterr().out.splitlines()
    down, ahead = math.sin(math.pi / 6), math.cos(math.pi / 6)
    assert lines[0] == "lidar's origin: [10.  6.  2.]"  # 5 + 1 along y
    point = np.array([10, 6 + 3 * ahead, 2 - 3 * down, 1])
    assert lines[1] == f"point: {point.round(3)}"
    assert lines[2] == f"ray:   {np.array([0, ahead, -down, 0]).round(3)}"
