"""wrong_log_acos.py and right_log_atan2.py: the two ends of the angle."""

import warnings

import numpy as np
import pytest
from lie_truth import exact, rodrigues, rounded

import right_log_atan2
from right_log_atan2 import exp, log
from wrong_log_acos import log_acos

SNIPPETS = ["slam/wrong_log_acos.py", "slam/right_log_atan2.py"]
AXES = [np.array(a) for a in ([0, 0, 1], [0.6, 0, -0.8], [2 / 3, -1 / 3, 2 / 3])]


def textbook_error(angle, axis):
    R = rounded(rodrigues(exact(angle * axis)))
    with np.errstate(invalid="ignore"):
        error = log_acos(R) - angle * axis
    return np.linalg.norm(error) / angle


@pytest.mark.claim(
    zh="课本公式：0 与 1e-8 弧度得到 nan；绕 z 轴，π − 1e-6 处相对误差为 4e-5，π − 1e-8 处为 8.2e7",
    en="The textbook formula: nan at 0 and 1e-8 rad; about z a relative error of 4e-5 at π − 1e-6 and of 8.2e7 at π − 1e-8",
    against_zh="mpmath 100 位的旋转矩阵",
    against_en="rotation matrices from mpmath with 100 digits",
    snippets=["slam/wrong_log_acos.py"],
)
def test_what_the_textbook_gives():
    with pytest.warns(RuntimeWarning, match="invalid value encountered in scalar divide"):
        assert np.isnan(log_acos(np.eye(3))).all()
    for axis in AXES:
        assert np.isnan(textbook_error(1e-8, axis))
        for angle in np.logspace(-7.5, 0, 16):
            assert textbook_error(angle, axis) < 1e-15
        assert 1e-6 < textbook_error(np.pi - 1e-6, axis) < 1e-3
    assert f"{textbook_error(np.pi - 1e-8, AXES[0]):.2g}" == "8.2e+07"
    assert f"{log_acos(exp([0, 0, np.pi - 1e-8]))[2]:.9g}" == "256530509"


def about_z(gap):
    """The textbook's relative error, as wrong_log_acos.py prints its angles."""
    angle = np.pi - gap
    return abs(log_acos(exp([0, 0, angle]))[2] - angle) / angle


def test_how_the_textbook_fails_near_pi():
    errors = [about_z(gap) for gap in (1e-6, 1e-7, 2e-8)]
    assert [f"{e:.0e}" for e in errors[:2]] == ["4e-05", "3e-02"]
    assert f"{errors[2]:.2f}" == "0.33"
    for gap in 10 ** np.linspace(-6, -1, 26):  # the slope, by its bound
        for axis in AXES:
            assert textbook_error(np.pi - gap, axis) < 1e-15 + 3e-16 / gap**2
    worst = [textbook_error(np.pi - gap, AXES[0]) for gap in np.linspace(2.2e-8, 5e-8, 40)]
    assert 0.03 < max(worst) < 1
    trace = lambda gap: np.trace(exp([0, 0, np.pi - gap]))
    assert trace(2e-8) > -1 and trace(1e-8) == -1
    assert np.arccos((trace(1e-8) - 1) / 2) == np.pi
    assert f"{np.sin(np.pi):.1e}" == "1.2e-16"
    jumps = [about_z(gap) for gap in np.linspace(1e-8, 2e-8, 60)]
    assert 5e7 < max(jumps) < 2e8
    falling = [about_z(gap) for gap in (1e-8, 1e-9, 1e-10, 1e-12)]
    assert (np.diff(falling) < 0).all() and falling[-1] < 1e4
    axes = np.random.default_rng(0).normal(size=(2000, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    R = exp((np.pi - 1e-8) * axes)
    with np.errstate(invalid="ignore"):
        nan = [np.isnan(log_acos(r)).all() for r in R]
    assert 0.5 < np.mean(nan) < 0.7
    assert (np.trace(R, axis1=1, axis2=2)[nan] < -1).all()


def test_a_trace_above_3():
    R = np.eye(3) + np.diag([4e-16, 0, 0])
    with pytest.warns(RuntimeWarning, match="invalid value encountered in arccos"):
        assert np.isnan(log_acos(R)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (log(R) == 0).all()


def test_what_atan2_gives():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for angle in (0, 1e-8, 1, np.pi - 1e-8):
            for axis in AXES:
                R = rounded(rodrigues(exact(angle * axis))) if angle else np.eye(3)
                error = np.abs(log(R) - angle * axis).max()
                assert error <= 4e-16 * angle
    assert right_log_atan2.log is log
