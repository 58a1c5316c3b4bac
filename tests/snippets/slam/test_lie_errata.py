"""What the old article got wrong about Lie groups, each claim in numbers."""

import itertools

import numpy as np
import pytest
from lie_truth import exact, rounded
from mpmath import mp, mpf
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import se3
import so3
from bracket import bracket

SNIPPETS = ["slam/so3.py", "slam/se3.py"]
A, B, C = np.random.default_rng(5).normal(size=(3, 3))
AXIS = np.array([2, -1, 2]) / 3


def solve(algebra, X0, span):
    """dX/dt = algebra(t) X, integrated numerically."""
    shape = X0.shape
    f = lambda t, x: (algebra(t) @ x.reshape(shape)).ravel()
    done = solve_ivp(f, span, X0.ravel(), "DOP853", rtol=1e-12, atol=1e-13)
    return done.y[:, -1].reshape(shape)


def test_the_solution_needs_a_constant_phi():
    t0, t = 0.5, 1.7
    R0, T0 = so3.exp(B), se3.exp([*C, *B])
    xi = np.concatenate([C, A])
    R = solve(lambda _: so3.hat(A), R0, (t0, t))
    assert np.abs(so3.exp((t - t0) * A) @ R0 - R).max() < 1e-10
    assert np.abs(so3.exp(A) @ R0 - R).max() > 0.1
    T = solve(lambda _: se3.hat(xi), T0, (t0, t))
    assert np.abs(se3.exp((t - t0) * xi) @ T0 - T).max() < 1e-10
    varying = lambda t: A + t * B
    R = solve(lambda t: so3.hat(varying(t)), R0, (t0, t))
    assert np.abs(so3.exp((t - t0) * varying(t)) @ R0 - R).max() > 0.1
    integral = (t - t0) * A + (t**2 - t0**2) / 2 * B
    assert np.abs(so3.exp(integral) @ R0 - R).max() > 0.01


def test_jacobi_identity():
    M = [so3.hat(v) for v in (A, B, C)]
    lie = lambda X, Y: X @ Y - Y @ X
    X, Y, Z = M
    cycle = lie(X, lie(Y, Z)) + lie(Z, lie(X, Y)) + lie(Y, lie(Z, X))
    assert np.abs(cycle).max() < 1e-14
    swapped = lie(X, lie(Y, Z)) + lie(Z, lie(Y, X)) + lie(Y, lie(Z, X))
    assert np.abs(swapped).max() > 0.1


def test_the_bracket_is_the_vee():
    M = so3.hat(A) @ so3.hat(B) - so3.hat(B) @ so3.hat(A)
    assert np.abs(so3.vee(M) - np.cross(A, B)).max() < 1e-15
    assert M.shape == (3, 3)  # the commutator itself is a matrix


def test_the_cube_of_hat():
    P, n = so3.hat(A), A @ A
    assert abs(n - 1) > 0.1
    assert np.abs(P @ P @ P + n * P).max() < 1e-14
    assert np.abs(P @ P @ P + P).max() > 0.1
    P = so3.hat(AXIS)
    assert np.abs(P @ P @ P + P).max() < 1e-15


def test_the_exponential_series_converges_for_every_matrix():
    M = np.random.default_rng(0).normal(size=(3, 3)) * 30
    assert np.linalg.norm(M) > 50
    term = total = exact(np.eye(3))
    for k in range(1, 400):
        term = term @ exact(M) / mpf(k)
        total = total + term
    truth = expm(M)
    assert np.abs(rounded(total) - truth).max() < 1e-11 * np.abs(truth).max()


def test_second_order_has_theta_squared_and_a_hat():
    theta, K = 1e-3, so3.hat(AXIS)
    rest = so3.exp(theta * AXIS) - np.eye(3) - theta * K
    assert np.abs(rest / theta**2 - K @ K / 2).max() < 1e-3
    assert np.abs(rest / theta - K @ K / 2).max() > 0.1
    assert np.abs(so3.exp(A) - expm(so3.hat(A))).max() < 1e-14


def test_components_are_not_euler_angles():
    phi = np.array([0.3, -0.2, 0.5])
    turns = [so3.exp(phi * e) for e in np.eye(3)]
    for x, y, z in itertools.permutations(turns):
        assert np.abs(x @ y @ z - so3.exp(phi)).max() > 0.02


def log_series(R, terms):
    """Σ (-1)^(k+1) (R - I)^k / k."""
    power, total = np.eye(3), np.zeros((3, 3))
    for k in range(1, terms + 1):
        power = power @ (R - np.eye(3))
        total = total - (-1) ** k * power / k
    return so3.vee(total)


def test_the_log_series_converges_up_to_60_degrees():
    for degrees, check in [(59, lambda e: e < 1e-12), (61, lambda e: e > 1e6)]:
        phi = np.radians(degrees) * AXIS
        error = np.linalg.norm(log_series(so3.exp(phi), 2000) - phi)
        assert check(error), (degrees, error)


def test_rho_comes_first_and_is_not_t():
    xi = np.array([1, 2, 3, 0.3, -0.2, 0.5])
    assert (se3.hat(xi)[:3, 3] == [1, 2, 3]).all()
    assert (se3.hat(xi)[:3, :3] == so3.hat([0.3, -0.2, 0.5])).all()
    T = expm(se3.hat(xi))
    assert np.abs(T - se3.exp(xi)).max() < 1e-14
    assert np.abs(T[:3, 3] - so3.left_jacobian(xi[3:]) @ xi[:3]).max() < 1e-14
    assert np.abs(T[:3, 3] - xi[:3]).max() > 0.3


def test_the_block_is_in_the_group():
    xi = np.concatenate([C, A])
    block = expm(se3.hat(xi))[:3, :3]
    assert np.abs(block - so3.exp(A)).max() < 1e-14
    assert np.abs(block @ block.T - np.eye(3)).max() < 1e-14
    assert np.abs(block + block.T).max() > 0.5  # not skew: not in so(3)


def test_first_order_bch_is_approximate():
    phi = np.array([0.3, -0.2, 0.5])
    rest = []
    for size in (1e-2, 1e-3, 1e-4):
        d = size * AXIS
        both = so3.log(so3.exp(d) @ so3.exp(phi))
        rest.append(np.linalg.norm(both - phi - so3.left_jacobian_inv(phi) @ d))
    assert rest[0] > 1e-7
    for a, b in itertools.pairwise(rest):
        assert a / b == pytest.approx(100, rel=0.05)


def test_bracket_of_se3():
    a, b = np.concatenate([A, B]), np.concatenate([C, A])
    M = se3.hat(a) @ se3.hat(b) - se3.hat(b) @ se3.hat(a)
    assert np.abs(se3.hat(bracket(a, b)) - M).max() < 1e-15
    assert mp.dps == 100
