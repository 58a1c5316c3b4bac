"""gimbal_lock.py against finite differences of scipy's rotations; Euler halfway."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import gimbal_lock

SNIPPETS = [
    "slam/gimbal_lock.py",
    "slam/wrong_euler_halfway.py",
    "slam/right_euler_halfway.py",
]
FOLDER = Path(gimbal_lock.__file__).parent
angles = st.floats(-3, 3, allow_subnormal=False)


def turned(*yaw_pitch_roll):
    return Rotation.from_euler("ZYX", yaw_pitch_roll)


@pytest.mark.claim(
    zh="三个角各自变化时的转轴，行列式的大小为 |cos(pitch)|：±90° 时 yaw 与 roll 的轴重合，秩降为 2",
    en="The axes of the three angles have a determinant of size |cos(pitch)|: at ±90° those of yaw and roll are one line and the rank is 2",
    against_zh="对 scipy 的 Rotation.from_euler 作中心差分",
    against_en="central differences of scipy's Rotation.from_euler",
    tolerance="1e-9",
)
@given(angles, angles, angles)
def test_axes(yaw, pitch, roll):
    axes = gimbal_lock.turning_axes(yaw, pitch)
    for k in range(3):
        ahead, behind = np.array([[yaw, pitch, roll]] * 2)
        ahead[k] += 1e-4
        behind[k] -= 1e-4
        turn = (turned(*ahead) * turned(*behind).inv()).as_rotvec() / 2e-4
        assert np.abs(turn - axes[:, k]).max() < 1e-9
    assert abs(np.linalg.det(axes) + math.cos(pitch)) < 1e-15


@pytest.mark.parametrize("up", [1, -1])
def test_the_lock(up):
    axes = gimbal_lock.turning_axes(0.3, up * np.pi / 2)
    assert np.abs(axes[:, 2] + up * axes[:, 0]).max() < 1e-15
    assert np.linalg.matrix_rank(axes) == 2
    across = np.cross(axes[:, 0], axes[:, 1])  # perpendicular to both rings
    assert abs(np.linalg.norm(across) - 1) < 1e-15
    assert np.abs(across @ axes).max() < 1e-15


def test_the_printed_table(capsys):
    gimbal_lock.main()
    lines = capsys.readouterr().out.splitlines()
    for line, pitch in zip(lines, (0, 60, 89), strict=False):
        roll = 1 / math.cos(math.radians(pitch))
        assert line == (f"pitch {pitch:2}°: the lines are {90 - pitch:2}° apart; "
                        f"1°/s sideways takes {roll:.1f}°/s of roll")
    assert lines[2].endswith(" 57.3°/s of roll")
    assert lines[3] == "pitch 90°: the lines are  0° apart; sideways is lost (rank 2)"
    a, b = turned(*np.radians([50, 90, 20])), turned(*np.radians([20, 90, -10]))
    assert (a * b.inv()).magnitude() < 1e-15
    assert lines[4] == "50, 90, 20 and 20, 90, -10 are the same attitude: True"


def test_halfway(capsys):
    start, end = turned(*np.radians([20, 70, 10])), turned(*np.radians([20, 110, 10]))
    assert np.abs((end * turned(*np.radians([-160, 70, -170])).inv()).magnitude()) < 1e-15
    wrong = runpy.run_path(str(FOLDER / "wrong_euler_halfway.py"))["halfway"]
    out = capsys.readouterr().out
    R = Rotation.from_matrix(wrong)
    off = [np.degrees((R * x.inv()).magnitude()) for x in (start, end)]
    assert np.abs((R * turned(*np.radians([-70, 70, -80])).inv()).magnitude()) < 1e-12
    assert out == (f"end reads: [-160.   70. -170.]\n{off[0]:.1f}° from the start\n"
                   f"{off[1]:.1f}° from the end\n")
    assert f"{off[0]:.1f} {off[1]:.1f}" == "28.2 28.2"

    right = runpy.run_path(str(FOLDER / "right_euler_halfway.py"))["halfway"]
    expected = Slerp([0, 1], Rotation.concatenate([start, end]))(0.5).as_matrix()
    assert np.abs(right - expected).max() < 1e-12
    assert capsys.readouterr().out == (
        "the whole turn: 40.0°\n20.0° from the start\n20.0° from the end\n")
