"""euler.py against scipy, mpmath and what a gimbal lock leaves."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import euler

pytestmark = pytest.mark.filterwarnings("error")

SIZES = [0, 1, 2047, 2048, 2049, 5000]
whole = st.floats(-10, 10, allow_subnormal=False)
inside = st.floats(-np.pi + 1e-9, np.pi - 1e-9, allow_subnormal=False)
below_lock = st.floats(-1.5, 1.5, allow_subnormal=False)


def exact(yaw, pitch, roll):
    """Rz Ry Rx from three plain matrices, at 50 digits."""
    with mpmath.workdps(50):
        def turn(axis, angle):
            c, s = mpmath.cos(mpmath.mpf(float(angle))), mpmath.sin(mpmath.mpf(float(angle)))
            i, j = [(1, 2), (2, 0), (0, 1)][axis]
            R = mpmath.eye(3)
            R[i, i] = R[j, j] = c
            R[i, j], R[j, i] = -s, s
            return R
        R = turn(2, yaw) * turn(1, pitch) * turn(0, roll)
        return np.array(R.tolist(), float)


@given(whole, whole, whole)
def test_to_matrix(yaw, pitch, roll):
    R = euler.to_matrix(yaw, pitch, roll)
    assert np.abs(R - exact(yaw, pitch, roll)).max() < 5e-16


def test_a_positive_pitch_is_nose_down():
    """With x forward, y left, z up: forward gains -z; yaw turns left."""
    assert np.abs(euler.to_matrix(0, 0.3, 0)[:, 0] - [np.cos(0.3), 0, -np.sin(0.3)]).max() < 1e-15
    assert euler.to_matrix(0.3, 0, 0)[1, 0] > 0


@given(whole, whole, whole)
def test_it_is_the_order_of_the_docstring(yaw, pitch, roll):
    """Intrinsic z-y'-x'', or x, y, z about fixed axes: scipy says both."""
    R = euler.to_matrix(yaw, pitch, roll)
    assert np.abs(R - Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_matrix()).max() < 2e-15
    assert np.abs(R - Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()).max() < 2e-15


@given(inside, below_lock, inside)
def test_from_matrix(yaw, pitch, roll):
    R = euler.to_matrix(yaw, pitch, roll)
    found = euler.from_matrix(R)
    assert np.abs(np.array(found) - [yaw, pitch, roll]).max() < 2e-14
    assert np.abs(np.array(found) - Rotation.from_matrix(R).as_euler("ZYX")).max() < 4e-14
    assert (euler.angles(R) == found).all()


@pytest.mark.claim(
    zh="读出的欧拉角总能还原同一个 R，万向锁上与附近也不例外",
    en="The Euler angles that are read give the same R back, at and near the gimbal lock too",
    against_zh="离 ±90° 0、1e-300…1e-3 rad 处的随机姿态，以及 scipy 的随机旋转",
    against_en="random attitudes 0 and 1e-300…1e-3 rad off ±90°, and scipy's random rotations",
    tolerance="1e-15",
)
@pytest.mark.parametrize("gap", [0, 1e-300, 1e-170, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3])
def test_matrix_and_back(gap):
    rng = np.random.default_rng(1)
    yaw, roll = rng.uniform(-np.pi, np.pi, (2, 500))
    for pitch in (np.pi / 2 - gap, -np.pi / 2 + gap):
        R = euler.to_matrix(yaw, pitch, roll)
        assert np.abs(euler.to_matrix(*euler.from_matrix(R)) - R).max() < 1e-15
        c, s = np.cos(yaw), np.sin(yaw)  # the lock itself, with exact zeros
    zero, one = np.zeros(500), np.ones(500)
    for up in (1, -1):
        R = np.moveaxis(np.array([[zero, -s, up * c], [zero, c, up * s], [-up * one, zero, zero]]),
                        -1, 0)
        assert np.abs(np.linalg.det(R) - 1).max() < 1e-15
        assert np.abs(euler.to_matrix(*euler.from_matrix(R)) - R).max() < 1e-15
    R = Rotation.random(3000, rng=2).as_matrix()
    assert np.abs(euler.to_matrix(*euler.from_matrix(R)) - R).max() < 1e-15


@given(inside, inside, st.sampled_from([1, -1]))
def test_at_the_lock_only_a_sum_is_left(yaw, roll, up):
    R = euler.to_matrix(yaw, up * np.pi / 2, roll)
    found = euler.from_matrix(R)
    assert abs(found[1] - up * np.pi / 2) < 3e-8
    left = found[0] - up * found[2] - (yaw - up * roll)
    assert abs((left + np.pi) % (2 * np.pi) - np.pi) < 1e-14


def test_pitch_stays_within_a_quarter_turn():
    pitch = euler.from_matrix(Rotation.random(3000, rng=3).as_matrix())[1]
    assert np.abs(pitch).max() <= np.pi / 2


@pytest.mark.parametrize("angle", [0.0, 1e-170, 1e-12, 1e-8])
def test_small_angles(angle):
    for position in range(3):
        angles = np.zeros(3)
        angles[position] = angle
        assert (euler.from_matrix(euler.to_matrix(*angles)) == angles).all()


def test_batches():
    rng = np.random.default_rng(4)
    for n in SIZES:
        yaw, pitch, roll = angles = rng.uniform(-1.5, 1.5, (3, n))
        copy = angles.copy()
        R = euler.to_matrix(yaw, pitch, roll)
        kept = R.copy()
        assert R.shape == (n, 3, 3) and R.dtype == np.float64 and (angles == copy).all()
        back = np.array(euler.from_matrix(R))
        assert back.shape == (3, n) and (kept == R).all()
        assert np.abs(back - angles).max(initial=0) < 1e-13
        for k in {0, n // 2, n - 1} if n else ():
            assert np.abs(R[k] - euler.to_matrix(*angles[:, k])).max() < 3e-16
    R = euler.to_matrix(np.ones((2, 1)), np.ones(5), 0.25)
    assert R.shape == (2, 5, 3, 3)
    assert [a.shape for a in euler.from_matrix(R)] == [(2, 5)] * 3


def test_kinds_of_number():
    single = np.float32([0.1, 0.2, 0.3])
    R = euler.to_matrix(*single)
    assert R.dtype == np.float32
    assert np.abs(R - exact(*single)).max() < 1e-7
    assert all(a.dtype == np.float32 for a in euler.from_matrix(R))
    assert np.abs(np.array(euler.from_matrix(R)) - single).max() < 3e-7
    assert euler.to_matrix(1, 2, 3).dtype == np.float64
    assert (euler.to_matrix(1, 2, 3) == euler.to_matrix(1.0, 2.0, 3.0)).all()
    assert euler.from_matrix(np.eye(3, dtype=int)) == (0, 0, 0)


def test_bad_input():
    for bad in (np.nan, np.inf, 1e200):
        for position in range(3):
            angles = np.zeros((3, 4))
            angles[position, -1] = bad
            with pytest.raises(ValueError, match="expected finite numbers"):
                euler.to_matrix(*angles)
        R = np.tile(np.eye(3), (4, 1, 1))
        R[-1, 2, 2] = bad
        with pytest.raises(ValueError, match="expected finite numbers"):
            euler.from_matrix(R)
    with pytest.raises(ValueError, match=r"angles: expected \[..., 3, 3\], got \(4, 4\)"):
        euler.from_matrix(np.eye(4))
    with pytest.raises(ValueError, match="shape mismatch"):
        euler.to_matrix(np.zeros(2), np.zeros(3), 0)
