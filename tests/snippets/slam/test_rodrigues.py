"""rodrigues.py against scipy and mpmath; the axis, the sign in hat, and acos."""

import math
import runpy
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

import rodrigues
import rotation_formulas
import so3

SNIPPETS = [
    "slam/rodrigues.py",
    "slam/wrong_rodrigues_axis.py",
    "slam/right_rodrigues_axis.py",
]
FOLDER = Path(rodrigues.__file__).parent
vectors = arrays(np.float64, 3, elements=st.floats(-3, 3, allow_subnormal=False))


@given(vectors.filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_rodrigues(phi):
    theta = np.linalg.norm(phi)
    expected = Rotation.from_rotvec(phi).as_matrix()
    assert np.abs(rodrigues.rodrigues(phi / theta, theta) - expected).max() < 2e-15
    assert np.abs(so3.exp(phi) - expected).max() < 2e-15


@pytest.mark.parametrize("n", [[1, 1, 0], [0, 0, 0], [0, 0, 2], [np.nan, 0, 0], [1, 0], 1])
def test_an_axis_that_is_not_unit_is_refused(n):
    with pytest.raises(ValueError, match=r"expected a unit axis \[3\], got"):
        rodrigues.rodrigues(n, 1.0)


def test_a_quarter_turn(capsys):
    runpy.run_path(str(FOLDER / "rodrigues.py"), run_name="__main__")
    assert capsys.readouterr().out == "a quarter turn about z takes x to [0. 1. 0.]\n"


@given(vectors, vectors)
def test_the_sign_in_hat(a, b):
    """Errata 7: entry (1, 2) is −a₃; with + it is not the cross product."""
    M = so3.hat(a)
    assert M[0, 1] == -a[2] and (M == -M.T).all()
    cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    assert np.abs(M @ b - cross).max() < 1e-14
    assert (rotation_formulas.skew(a[:, None])[:, :, 0] == M).all()


def test_wrong_and_right_axis(capsys):
    """Errata 3. Eigenvalues: along n, and the pair across it."""
    R = runpy.run_path(str(FOLDER / "wrong_rodrigues_axis.py"))["R"]
    c, s = math.cos(2), math.sin(2)
    det = (c + (1 - c) * 4) * (c * c + 4 * s * s)
    assert abs(np.linalg.det(R) - det) < 1e-12
    n = np.array([1, 2, 2]) / 3
    along = (c + (1 - c) * 4) * n[0]  # the first axis: along n, and across it
    length = math.hypot(along, math.sqrt((1 - n[0] ** 2) * (c * c + 4 * s * s)))
    out = capsys.readouterr().out
    assert out == f"det R = {det:.3f}\na unit vector gets length {length:.3f}\n"
    assert f"{det:.3f} {length:.3f}" == "18.267 2.481"
    R = runpy.run_path(str(FOLDER / "right_rodrigues_axis.py"))["R"]
    assert np.abs(R - Rotation.from_rotvec(2 * n).as_matrix()).max() < 1e-15
    assert capsys.readouterr().out == (
        "det R = 1.000\na unit vector gets length 1.000\nthe same as so3.exp(phi): True\n")


def test_acos_of_the_trace_loses_small_angles():
    """The trace formula is right; in float64 it rounds 1e-8 rad to 0."""
    R = so3.exp([0, 0, 1e-8])
    with mpmath.workdps(50):
        trace = 1 + 2 * mpmath.cos(mpmath.mpf("1e-8"))
        assert abs(mpmath.acos((trace - 1) / 2) - mpmath.mpf("1e-8")) < 1e-20
    assert math.acos((np.trace(R) - 1) / 2) == 0
    assert abs(np.linalg.norm(so3.log(R)) - 1e-8) < 1e-23


def test_a_determinant_of_one_is_not_enough():
    """Errata 23: a shear has det 1, a reflection RᵀR = I."""
    shear = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    mirror = np.diag([1, 1, -1])
    assert np.linalg.det(shear) == 1 and (shear.T @ shear != np.eye(3)).any()
    assert (mirror.T @ mirror == np.eye(3)).all() and np.linalg.det(mirror) == -1
    for M in (shear, mirror):
        assert np.abs(so3.exp(so3.log(so3.project(M))) - M).max() > 0.1
