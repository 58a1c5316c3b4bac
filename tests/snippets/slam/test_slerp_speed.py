"""slerp_speed.py against the closed form of both speeds; the long way round."""

import math
import runpy
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

import quaternion
import slerp_speed

SNIPPETS = [
    "slam/slerp_speed.py",
    "slam/wrong_slerp_long_way.py",
    "slam/right_slerp_long_way.py",
]
FOLDER = Path(slerp_speed.__file__).parent


def test_speeds(capsys):
    half = math.radians(80)
    q0, q1 = quaternion.from_rotvec([[0.2, 0.4, 0], [0.2, 0.4, 0]])
    q1 = quaternion.multiply(q1, quaternion.from_rotvec([0, 2 * half, 0]))
    t = np.linspace(0, 1, 1001)
    v = slerp_speed.speed(quaternion.slerp(q0, q1, t), t)
    assert np.abs(v - 160).max() < 1e-9
    v = slerp_speed.speed(slerp_speed.nlerp(q0, q1, t), t)
    m = (t[1:] + t[:-1]) / 2
    square = 1 - 2 * m * (1 - m) * (1 - math.cos(half))
    exact = np.degrees(2 * math.sin(half) / square)
    assert np.abs(v / exact - 1).max() < 1e-4
    assert f"{exact.max() / exact.min():.2f}" == f"{1 / math.cos(half / 2) ** 2:.2f}" == "1.70"
    slerp_speed.main()
    ends, middle = exact[0], exact[500]
    assert capsys.readouterr().out == (
        "slerp: 160.0°, 160.0°, 160.0° per unit of t\n"
        f"nlerp: {ends:.1f}°, {middle:.1f}°, {ends:.1f}° per unit of t\n")
    assert f"{ends:.1f} {middle:.1f}" == "112.9 192.3"


def test_speed_takes_uneven_steps():
    t = np.array([0, 0.1, 0.5, 0.6])
    path = quaternion.from_rotvec(np.outer(t, [0, 0, 2]))
    assert np.abs(slerp_speed.speed(path, t) - np.degrees(2)).max() < 1e-12


def test_nlerp_is_on_the_great_circle():
    q0, q1 = quaternion.from_rotvec([[0.1, 0, 0.3], [1, -1, 0.5]])
    t = np.linspace(0, 1, 11)
    path = slerp_speed.nlerp(q0, q1, t)
    assert np.abs(np.linalg.norm(path, axis=1) - 1).max() < 1e-15
    assert np.abs(path[[0, 5, 10]] - [q0, quaternion.slerp(q0, q1, 0.5), q1]).max() < 1e-15
    assert np.linalg.matrix_rank(path, 1e-12) == 2


def test_wrong_and_right_way(capsys):
    wrong = runpy.run_path(str(FOLDER / "wrong_slerp_long_way.py"))
    assert abs(wrong["turned"] - -(360 - 20) / 4) < 1e-12
    assert capsys.readouterr().out == "at t = 0.25 it has turned by -85°, not 5°\n"
    right = runpy.run_path(str(FOLDER / "right_slerp_long_way.py"))
    assert (right["q0"] == wrong["q0"]).all() and (right["q1"] == wrong["q1"]).all()
    scipy = Slerp([0, 1], Rotation.from_euler("z", [[10], [30]], degrees=True))(0.25)
    assert abs(right["turned"] - (scipy.as_euler("ZYX", degrees=True)[0] - 10)) < 1e-12
    assert capsys.readouterr().out == "at t = 0.25 it has turned by 5°\n"
