"""lie_step.py and wrong_step.py: a step on SO(3), and one that leaves it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lie_step
import wrong_step
from lie_step import P, Q, fit, turn
from so3 import log, project

SNIPPETS = ["slam/lie_step.py", "slam/wrong_step.py"]


def lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_fit(capsys):
    truth = Rotation.align_vectors(Q, P)[0].as_matrix()
    assert np.abs(fit(turn) - truth).max() < 1e-12
    assert np.abs(fit(turn, 4) - truth).max() < 1e-6
    assert np.abs(P @ truth.T - Q).max() < 1e-14
    printed = lines(capsys)
    assert printed[0] == "0: error 3.621224, off 0.000000"
    assert printed[3] == "3: error 0.001783, off 0.000000"
    assert printed[4] == "4: error 0.000000, off 0.000000"
    R = turn(Rotation.from_euler("x", 0.3).as_matrix(), np.array([0.4, 0, 0]))
    assert np.abs(R - Rotation.from_euler("x", 0.7).as_matrix()).max() < 1e-15
    d = np.array([0, 0, 0.3])  # from the left
    assert np.abs(turn(R, d) - Rotation.from_rotvec(d).as_matrix() @ R).max() < 1e-15


def test_adding_leaves_the_group(capsys):
    R = fit(wrong_step.add)
    assert f"{np.linalg.det(R):.6f}" == "2.777886"
    assert np.linalg.norm(R.T @ R - np.eye(3)) > 2
    assert lines(capsys)[5] == "5: error 1.590901, off 2.458285"
    R = fit(wrong_step.add, 30)
    assert 1.58 < np.linalg.norm(Q - P @ R.T) < 1.592
    assert lie_step.fit is wrong_step.fit


def test_projecting_converges_too(capsys):
    truth = Rotation.align_vectors(Q, P)[0].as_matrix()
    R = fit(lambda R, d: project(wrong_step.add(R, d)), 12)
    assert np.abs(R - truth).max() < 1e-12
    d = np.array([0.4, 0, 0])  # but the step is shorter
    R = project(wrong_step.add(np.eye(3), d))
    assert log(R)[0] == pytest.approx(np.arctan(0.4), rel=1e-14)
