"""bracket.py against matrices, cross products, and small motions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, logm

import se3
from bracket import bracket, commutator

XI = st.lists(st.floats(-2, 2), min_size=6, max_size=6).map(np.array)


@settings(max_examples=60, deadline=None)
@given(XI, XI, XI, st.floats(-2, 2))
def test_laws(a, b, c, s):
    rotation = np.cross(a[3:], b[3:])
    shift = np.cross(a[3:], b[:3]) - np.cross(b[3:], a[:3])
    both = np.concatenate([shift, rotation])
    assert np.abs(bracket(a, b) - both).max() < 1e-13
    assert np.abs(bracket(a, a)).max() == 0
    assert np.abs(bracket(a, b) + bracket(b, a)).max() == 0
    mixed = bracket(s * a + c, b) - s * bracket(a, b) - bracket(c, b)
    assert np.abs(mixed).max() < 1e-13
    cycle = [(a, b, c), (c, a, b), (b, c, a)]
    jacobi = sum(bracket(x, bracket(y, z)) for x, y, z in cycle)
    assert np.abs(jacobi).max() < 1e-12


def test_commutator():
    a, b = np.random.default_rng(0).normal(size=(2, 6)) / 3
    A, B = (expm(se3.hat(v)) for v in (a, b))
    truth = logm(A @ B @ np.linalg.inv(A) @ np.linalg.inv(B)).real
    assert np.abs(se3.hat(commutator(a, b)) - truth).max() < 1e-12
    rest = [
        np.linalg.norm(commutator(s * a, s * b) / s**2 - bracket(a, b))
        for s in (1e-2, 1e-3)
    ]
    assert rest[0] / rest[1] == pytest.approx(10, rel=0.1)


def test_batch():
    a, b = np.random.default_rng(0).normal(size=(2, 5, 6))
    assert (bracket(a, b)[3] == bracket(a[3], b[3])).all()
