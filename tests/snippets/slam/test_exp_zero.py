"""wrong_exp_zero.py and right_exp_zero.py: dividing by the angle."""

import warnings

import numpy as np
import pytest
from lie_truth import exact, hat, rodrigues, rounded
from lie_truth import left as left_matrix
from mpmath import mp, mpf

import right_exp_zero
import wrong_exp_zero
from jacobian_formulas import inverse_coefficients, left

SNIPPETS = ["slam/wrong_exp_zero.py", "slam/right_exp_zero.py"]


def test_dividing_by_zero():
    with pytest.warns(RuntimeWarning, match="invalid value encountered in divide"):
        assert np.isnan(wrong_exp_zero.rodrigues(np.zeros(3))).all()
    assert wrong_exp_zero.b(1e-9) == 0
    phi = np.array([0.3, -0.2, 0.5])
    truth = rounded(rodrigues(exact(phi)))
    assert np.abs(wrong_exp_zero.rodrigues(phi) - truth).max() < 1e-15
    truth = float(4 * (1 - mp.cos(0.5)))
    assert wrong_exp_zero.b(0.5) == pytest.approx(truth, rel=1e-15)


def test_what_a_wrong_coefficient_costs():
    """At 1e-9 exp does not feel it, J_l loses half of θ."""
    phi = 1e-9 * np.array([2, -1, 2]) / 3
    error = exact(wrong_exp_zero.rodrigues(phi)) - rodrigues(exact(phi))
    assert 0 < np.abs(rounded(error)).max() < 1e-18
    truth = rounded(left_matrix(exact(phi)))
    J = np.eye(3) + wrong_exp_zero.b(1e-9) * hat(phi).astype(float) + np.outer(phi, phi) / 6
    assert f"{np.linalg.norm(truth - J, 2):.0e}" == "5e-10"


def test_the_limits():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (right_exp_zero.exp(np.zeros(3)) == np.eye(3)).all()
        assert right_exp_zero.b(0.0) == 0.5
        for theta in (1e-300, 1e-9, 1e-3, 1, 3):
            t = mpf(theta)
            with mp.workdps(700):
                truth = float((1 - mp.cos(t)) / t**2)
            assert right_exp_zero.b(theta) == pytest.approx(truth, rel=4e-16)


def test_what_other_closed_forms_lose():
    """The numbers that the article gives for J_l, its inverse and Q."""
    sin, cos, t = np.sin, np.cos, 1e-8
    assert (t - sin(t)) / t**3 == 0  # 1/6
    assert abs(left(np.array([t]))[2][0] - 1 / 6) < 1e-16
    gamma = 1 / t**2 - (1 + cos(t)) / (2 * t * sin(t))
    assert 1 / t**2 == pytest.approx(1e16)
    assert abs(gamma - 1 / 12) > 0.01  # 1/12
    assert abs(inverse_coefficients(np.array([t]))[2][0] - 1 / 12) < 1e-16
    q = lambda t: (t * t + 2 * cos(t) - 2) / (2 * t**4)
    with mp.workdps(60):
        x = mpf(0.01)
        truth = float((x * x + 2 * mp.cos(x) - 2) / (2 * x**4))
    assert 1e-8 < abs(q(0.01) / truth - 1) < 1e-5
    assert abs(q(1e-4) * 24 - 1) > 0.5  # 1/24
