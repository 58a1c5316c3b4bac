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
    zh="课本公式：0 与 1e-8 弧度得到 nan，π − 1e-8 处相对误差为 8.2e7，π − 1e-6 处约 1e-4",
    en="The textbook formula: nan at 0 and 1e-8 rad, a relative error of 8.2e7 at π − 1e-8, about 1e-4 at π − 1e-6",
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


def test_a_trace_above_3():
    R = np.eye(3) + np.diag([4e-16, 0, 0])
    with pytest.warns(RuntimeWarning, match="invalid value encountered in arccos"):
        assert np.isnan(log_acos(R)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (log(R) == 0).all()


@pytest.mark.claim(
    zh="同样四个角度，经四元数最大分量与 atan2 的对数相对误差小于 4e-16，没有警告",
    en="At the same four angles the logarithm by the largest quaternion component and atan2 is within 4e-16, without a warning",
    against_zh="角度本身",
    against_en="the angle itself",
    tolerance="4e-16",
    snippets=["slam/right_log_atan2.py"],
)
def test_what_atan2_gives():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for angle in (0, 1e-8, 1, np.pi - 1e-8):
            for axis in AXES:
                R = rounded(rodrigues(exact(angle * axis))) if angle else np.eye(3)
                error = np.abs(log(R) - angle * axis).max()
                assert error <= 4e-16 * angle
    assert right_log_atan2.log is log
