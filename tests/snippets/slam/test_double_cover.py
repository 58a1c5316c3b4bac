"""double_cover.py: by hand and scipy; which number of the four is w."""

import runpy
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

import double_cover
import quaternion

SNIPPETS = [
    "slam/double_cover.py",
    "slam/wrong_quaternion_order.py",
    "slam/right_quaternion_order.py",
]
FOLDER = Path(double_cover.__file__).parent
components = arrays(np.float64, 4, elements=st.floats(-1, 1, allow_subnormal=False)).filter(
    lambda q: np.linalg.norm(q) > 1e-3)


def test_what_it_prints(capsys):
    double_cover.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("i j     = [0. 0. 0. 1.] ")
    assert lines[1].startswith("i i     = [-1.  0.  0.  0.] ")
    assert lines[2].startswith("i j i⁻¹ = [ 0.  0. -1.  0.] ")
    for line, turn, w, z in zip(
            lines[3:], (0, 180, 360, 720), (1, 0, -1, 1), (0, 1, 0, 0), strict=True):
        x = Rotation.from_euler("z", turn, degrees=True).apply([1, 0, 0]).round(12) + 0
        assert line == f"{turn:3}° about z: q = {np.array([w, 0.0, 0, z])}, x at {x}"


def test_one_product_is_not_a_rotation():
    """Errata 4."""
    i = np.array([0, 1, 0, 0])
    half = Rotation.from_euler("x", 180, degrees=True)
    for p in np.eye(3):
        once = quaternion.multiply(i, np.append(0, p))
        turned = quaternion.multiply(once, quaternion.inverse(i))
        assert np.abs(turned - np.append(0, half.apply(p))).max() < 1e-15
        assert np.abs(once - np.append(0, half.apply(p))).max() == 1
    assert quaternion.multiply(i, i)[0] == -1


@given(components)
def test_the_point_is_not_the_quaternion(q):
    """Errata 5: with one letter for both, q q q⁻¹ is q, and nothing turns."""
    product = quaternion.multiply(quaternion.multiply(q, q), quaternion.inverse(q))
    assert np.abs(product - q).max() < 1e-14


def test_wrong_and_right_order(capsys):
    wrong = runpy.run_path(str(FOLDER / "wrong_quaternion_order.py"))
    as_read = Rotation.from_quat(wrong["q"], scalar_first=True)
    assert abs(as_read.magnitude() - np.pi) < 1e-15
    assert np.abs(as_read.apply([1, 0, 0]) - [-1, 0, 0]).max() < 1e-15
    assert abs(wrong["angle"] - 180) < 1e-12
    assert capsys.readouterr().out == (
        "q = [0.     0.     0.7071 0.7071]\nx becomes [-1.  0.  0.]\n"
        "it turns by 180°, not 90°, and nothing fails\n")
    right = runpy.run_path(str(FOLDER / "right_quaternion_order.py"))
    assert abs(right["angle"] - 90) < 1e-12
    assert capsys.readouterr().out == (
        "q = [0.7071 0.     0.     0.7071]\nx becomes [0. 1. 0.]\nit turns by 90°\n")
