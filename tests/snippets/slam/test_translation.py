"""wrong_translation.py and right_translation.py: t = J_l rho, not rho."""

import numpy as np
import pytest
from scipy.linalg import expm

import right_translation
import wrong_translation

SNIPPETS = ["slam/wrong_translation.py", "slam/right_translation.py"]
XI = np.array([1, 0, 0, 0, 0, np.pi / 2])
HAT = np.array([[0, -np.pi / 2, 0, 1], [np.pi / 2, 0, 0, 0], [0] * 4, [0] * 4])


def test_two_halves_are_the_whole():
    pose, exp = wrong_translation.pose, right_translation.exp
    half = pose(XI / 2)
    assert (pose(XI)[:3, 3] == [1, 0, 0]).all()
    gap = (half @ half - pose(XI))[:3, 3]
    assert f"{np.linalg.norm(gap):.2f}" == "0.38"
    assert (half @ half)[:3, 3] == pytest.approx([0.8536, 0.3536, 0], abs=5e-5)
    truth = expm(HAT)
    assert np.abs(pose(XI)[:3, :3] - truth[:3, :3]).max() < 1e-15
    half = exp(XI / 2)
    assert np.abs(half @ half - exp(XI)).max() < 1e-15
    assert np.abs(exp(XI) - truth).max() < 1e-15
    assert exp(XI)[:2, 3] == pytest.approx([2 / np.pi] * 2, rel=1e-15)
