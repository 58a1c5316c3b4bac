"""lab_rotations.py: the cells' numbers against SciPy and closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import lab_rotations as lab

DISTANCE = np.radians(160.5)


def close(a, b, atol):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


def scipy(*degrees):
    return Rotation.from_euler("ZYX", degrees, degrees=True)


@pytest.mark.claim(
    zh="绕自身的轴依次转 z、y、x，与绕固定轴依次转 x、y、z，到达同一个姿态；次序颠倒则差 44.9°",
    en="Turns about the cube's own z, y, x and about fixed x, y, z end in one attitude; the reverse order is 44.9° away",
    against_zh="scipy 的 Rotation.from_euler，次序 ZYX、xyz 与 XYZ",
    against_en="scipy's Rotation.from_euler with orders ZYX, xyz and XYZ",
    tolerance="1e-14",
)
def test_own_axes_and_fixed_axes():
    close(lab.R, scipy(40, 30, 50).as_matrix(), 1e-14)
    fixed = Rotation.from_euler("xyz", [50, 30, 40], degrees=True)
    close(lab.z @ lab.y @ lab.x, fixed.as_matrix(), 1e-14)
    reverse = Rotation.from_euler("XYZ", [50, 30, 40], degrees=True)
    close(lab.x @ lab.y @ lab.z, reverse.as_matrix(), 1e-14)
    assert np.degrees((reverse * fixed.inv()).magnitude()).round(1) == 44.9


@pytest.mark.claim(
    zh="旋转向量长 61.36°，与四元数给出同一个矩阵；q 与 −q 是同一个姿态",
    en="The rotation vector is 61.36° long and gives the same matrix as the quaternion; q and −q are one attitude",
    against_zh="scipy 的 as_rotvec、as_quat",
    against_en="scipy's as_rotvec and as_quat",
    tolerance="1e-14",
)
def test_rotation_vector_and_quaternion():
    R = scipy(40, 30, 50)
    assert lab.phi == pytest.approx(R.as_rotvec(), abs=1e-14)
    q = R.as_quat(scalar_first=True)
    assert lab.q * np.sign(lab.q[0]) == pytest.approx(q * np.sign(q[0]), abs=1e-14)
    close(lab.quaternion.to_matrix(-lab.q), lab.R, 1e-14)
    assert np.degrees(lab.angle).round(2) == 61.36
    half = np.r_[np.cos(lab.angle / 2), np.sin(lab.angle / 2) * lab.phi / lab.angle]
    assert lab.q * np.sign(lab.q[0]) == pytest.approx(half, abs=1e-14)


@pytest.mark.claim(
    zh="欧拉角到旋转的雅可比，奇异值是 √(1+|sin θ|)、1、√(1−|sin θ|)；俯仰角 90° 时秩为 2",
    en="The Jacobian from Euler angles to the rotation has singular values √(1+|sin θ|), 1, √(1−|sin θ|); at pitch 90° its rank is 2",
    against_zh="闭式解，以及由 scipy 求出的三根转轴",
    against_en="the closed form, and the three axes of rotation computed with scipy",
    tolerance="1e-8",
)
@pytest.mark.parametrize("degrees", [-90, -60, 0, 30, 60, 89, 90])
@pytest.mark.parametrize("roll", [0, 50])
def test_the_jacobian_loses_an_axis_at_the_lock(degrees, roll):
    J = lab.jacobian(np.radians(40), np.radians(degrees), np.radians(roll))
    z, y, x = np.eye(3)[::-1]
    yaw, pitch = scipy(40, 0, 0), scipy(40, degrees, 0)
    close(J, np.stack([z, yaw.apply(y), pitch.apply(x)], axis=1), 1e-8)
    s = abs(np.sin(np.radians(degrees)))
    values = np.linalg.svd(J, compute_uv=False)
    assert values**2 == pytest.approx([1 + s, 1, 1 - s], abs=1e-8)
    assert np.linalg.matrix_rank(J, 1e-6) == (2 if abs(degrees) == 90 else 3)


def test_how_fast_the_angles_run_near_the_lock():
    for degrees, rate in ((89, 81), (89.9, 810)):
        J = lab.jacobian(0.3, np.radians(degrees), 0.2)
        hardest = np.linalg.svd(J)[0][:, -1]
        assert round(np.linalg.norm(np.linalg.solve(J, hardest))) == rate


@pytest.mark.claim(
    zh="俯仰角 90° 时，偏航与滚转之差同为 40° 的三组角给出同一个姿态",
    en="At pitch 90° three triples whose yaw less roll is 40° give one attitude",
    against_zh="scipy 的 Rotation.from_euler",
    against_en="scipy's Rotation.from_euler",
    tolerance="1e-14",
)
def test_three_triples_one_cube():
    first, *rest = lab.locked.values()
    for R in rest:
        close(R, scipy(40, 90, 0).as_matrix(), 1e-14)
        close(R, rest[0], 1e-14)
    assert np.abs(first - rest[0]).max() > 0.5
    assert [yaw - roll for yaw, pitch, roll in lab.triples] == [0, 40, 40, 40]
    assert {pitch for _, pitch, _ in lab.triples} == {90}


@pytest.mark.claim(
    zh="slerp 的角速度处处是 160.5°，也就是两个姿态的距离",
    en="slerp turns at 160.5° throughout, which is the distance between the two attitudes",
    against_zh="scipy 的 Slerp",
    against_en="scipy's Slerp",
    tolerance="1e-12",
)
def test_slerp_has_constant_speed():
    ends = Rotation.concatenate([scipy(0, 0, 0), scipy(100, 60, -140)])
    path = Slerp([0, 1], ends)(np.linspace(0, 1, 61)).as_matrix()
    assert lab.turns["slerp"] == pytest.approx(path, abs=1e-12)
    distance = np.degrees(ends[1].magnitude())
    assert lab.speed["slerp"] == pytest.approx(np.full(60, distance), abs=1e-9)
    assert round(distance, 1) == 160.5


@pytest.mark.claim(
    zh="nlerp 走 slerp 的路，中间的速度是两头的 1/cos²(角/4) 倍：160.5° 时 1.7 倍，20° 时 1.008 倍",
    en="nlerp takes slerp's path, 1/cos²(angle/4) times as fast in the middle as at the ends: 1.7 at 160.5°, 1.008 at 20°",
    against_zh="闭式解",
    against_en="the closed form",
    tolerance="1e-12",
)
def test_nlerp_is_slerp_at_another_pace():
    axis = scipy(100, 60, -140).as_rotvec()
    half, t = np.linalg.norm(axis) / 2, np.linspace(0, 1, 61)
    along = np.arctan2(t * np.sin(half), 1 - t + t * np.cos(half)) / half
    expected = Rotation.from_rotvec(along[:, None] * axis).as_matrix()
    assert lab.turns["nlerp"] == pytest.approx(expected, abs=1e-12)
    assert lab.speed["nlerp"].mean() == pytest.approx(np.degrees(2 * half))

    def pace(angle, t):
        return np.sin(angle / 2) / (1 - 4 * t * (1 - t) * np.sin(angle / 4) ** 2)

    for angle, ratio in ((DISTANCE, 1.7), (np.radians(20), 1.008)):
        fast = pace(angle, 0.5) / pace(angle, 0)
        assert fast == pytest.approx(1 / np.cos(angle / 4) ** 2)
        assert round(fast, 3 if ratio < 1.1 else 1) == ratio
    slope = np.gradient(2 * along * half, t)[30] / (2 * (along[1] * half) * 60)
    assert slope == pytest.approx(1 / np.cos(half / 2) ** 2, rel=0.03)


@pytest.mark.claim(
    zh="逐角插值走 215.1°，比最短的 160.5° 多三分之一，角速度从 182.9° 变到 239.4°",
    en="Blended Euler angles cover 215.1°, a third more than the shortest 160.5°, at speeds from 182.9° to 239.4°",
    against_zh="scipy 的 Rotation.from_euler",
    against_en="scipy's Rotation.from_euler",
    tolerance="0.05°",
)
def test_blended_angles_take_a_longer_way():
    angles = np.outer(np.linspace(0, 1, 61), [100, 60, -140])
    R = Rotation.from_euler("ZYX", angles, degrees=True)
    assert lab.turns["Euler"] == pytest.approx(R.as_matrix(), abs=1e-12)
    speed = 60 * np.degrees((R[1:] * R[:-1].inv()).magnitude())
    assert lab.speed["Euler"] == pytest.approx(speed, abs=1e-6)
    assert [round(v, 1) for v in (speed.min(), speed.max(), speed.mean())] == [182.9, 239.4, 215.1]
    assert (np.diff(speed) > 0).all()
    assert speed.mean() / 160.5 == pytest.approx(4 / 3, abs=0.01)
    low, high = lab.speed["nlerp"].min(), lab.speed["nlerp"].max()
    assert (round(low, 1), round(high, 1)) == (114.5, 193.1)


@pytest.mark.claim(
    zh="两个姿态的矩阵取平均，行列式是 cos²(角/2)：160.5° 时约 0.029",
    en="The mean of the two attitudes' matrices has determinant cos²(angle/2): 0.029 at 160.5°",
    against_zh="闭式解",
    against_en="the closed form",
    tolerance="1e-12",
)
def test_the_mean_of_two_matrices_is_no_rotation():
    mean = (lab.turns["slerp"][0] + lab.turns["slerp"][-1]) / 2
    angle = scipy(100, 60, -140).magnitude()
    assert np.linalg.det(mean) == pytest.approx(np.cos(angle / 2) ** 2, abs=1e-12)
    values = np.linalg.svd(mean, compute_uv=False)
    assert values == pytest.approx([1, np.cos(angle / 2), np.cos(angle / 2)], abs=1e-12)
    assert (round(np.linalg.det(mean), 3), round(values[1], 2)) == (0.029, 0.17)
