"""se3.py against closed forms with 100 digits, gtsam, pytransform3d."""

import warnings

import gtsam
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lie_truth import (
    barfoot_q,
    distance,
    exact,
    left,
    left_inverse,
    rodrigues,
    rounded,
    series_q,
    vectors,
    worst,
)
from pytransform3d.transformations import left_jacobian_SE3, left_jacobian_SE3_inv
from scipy.linalg import expm

import se3
import so3

SNIPPETS = ["slam/se3.py"]
OF_VECTORS = [se3.hat, se3.exp, se3.left_jacobian, se3.left_jacobian_inv]
OF_MATRICES = [se3.vee, se3.log, se3.inverse, se3.adjoint]
SWAP = [3, 4, 5, 0, 1, 2]  # between [rho, phi] and [phi, rho]
xis = st.lists(st.floats(-1.7, 1.7), min_size=6, max_size=6).map(np.array)


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
        warnings.simplefilter("error")
        yield


def samples(high=5.0, seed=0, sizes=True):
    """xi with every angle, and rho from 1e-3 to 1e3 long."""
    phi = vectors(seed)
    phi = phi[np.linalg.norm(phi, axis=1) <= high]
    rng = np.random.default_rng(seed + 1)
    scale = 10.0 ** rng.integers(-3, 4, size=(len(phi), 1)) if sizes else 1
    return np.hstack([scale * rng.normal(size=phi.shape), phi])


def split(xi):
    return exact(xi[:3]), exact(xi[3:])


@pytest.mark.claim(
    zh="`exp` 的平移 J_l ρ 相对误差不超过 8e-16（1e-12 到 5 弧度）；`log` 的 ρ 不超过 6e-16（到 π − 1e-9）",
    en="The translation J_l ρ of `exp` has a relative error of at most 8e-16 (1e-12 to 5 rad), the ρ of `log` at most 6e-16 (up to π − 1e-9)",
    against_zh="mpmath 100 位的闭式",
    against_en="the closed form in mpmath with 100 digits",
    tolerance="8e-16",
)
def test_translation_and_rho():
    xi = samples()
    t = [left(phi) @ rho for rho, phi in map(split, xi)]
    assert worst(se3.exp(xi)[:, :3, 3], t) < 8e-16
    assert (se3.exp(xi)[:, :3, :3] == so3.exp(xi[:, 3:])).all()
    assert (se3.exp(xi)[:, 3] == [0, 0, 0, 1]).all()
    xi = samples(np.pi - 1e-9)
    T = np.tile(np.eye(4), (len(xi), 1, 1))
    for M, (rho, phi) in zip(T, map(split, xi), strict=True):
        M[:3, :3], M[:3, 3] = rounded(rodrigues(phi)), rounded(left(phi) @ rho)
    back = se3.log(T)
    assert worst(back[:, :3], [exact(v) for v in xi[:, :3]]) < 6e-16
    assert (back[:, 3:] == so3.log(T[:, :3, :3])).all()


def test_log_at_pi():
    """Up to pi and at pi, where either sign may come, exp(log) is T."""
    for gap in (1e-9, 1e-12, 0):
        for axis in (*np.eye(3), np.array([2, -1, 2]) / 3):
            T = se3.exp([1, 2, 3, *(np.pi - gap) * axis])
            assert np.abs(se3.exp(se3.log(T)) - T).max() < 3e-15


@pytest.mark.claim(
    zh="Q 是 J_l(φ) 沿 ρ 的方向导数，−J_l⁻¹QJ_l⁻¹ 是 J_l⁻¹ 的：从 1e-12 到 π，相对误差小于 2e-15；|ρ| = 1 时两个 6×6 矩阵都小于 1e-15",
    en="Q as the derivative of J_l(φ) along ρ, and −J_l⁻¹QJ_l⁻¹ as that of J_l⁻¹, have relative errors below 2e-15 from 1e-12 to π; for |ρ| = 1 both 6×6 matrices are below 1e-15",
    against_zh="mpmath 100 位：Barfoot 的闭式与双重级数",
    against_en="Barfoot's closed form and the double series, in mpmath with 100 digits",
    tolerance="2e-15; 1e-15",
    snippets=["slam/se3.py", "slam/jacobian_formulas.py"],
)
def test_q():
    xi = samples()
    truths = [barfoot_q(*split(v)) for v in xi]
    J = se3.left_jacobian(xi)
    assert worst(J[:, :3, 3:], truths) < 2e-15
    inverse = se3.left_jacobian_inv(xi)
    inverses = [left_inverse(exact(v[3:])) for v in xi]
    truths_inv = [-(j @ q @ j) for j, q in zip(inverses, truths, strict=True)]
    assert worst(inverse[:, :3, 3:], truths_inv) < 2e-15
    for v, q in list(zip(xi, truths, strict=True))[::20]:
        assert distance(rounded(series_q(*split(v))), q) < 2e-16
    for both, one in ((J, so3.left_jacobian), (inverse, so3.left_jacobian_inv)):
        block = one(xi[:, 3:])
        assert (both[:, :3, :3] == block).all() and (both[:, 3:, 3:] == block).all()
        assert (both[:, 3:, :3] == 0).all()


    xi = samples(np.pi, seed=3, sizes=False)
    xi[:, :3] /= np.linalg.norm(xi[:, :3], axis=1, keepdims=True)
    for v, both, inverse in zip(
        xi, se3.left_jacobian(xi), se3.left_jacobian_inv(xi), strict=True
    ):
        q, j, zero = barfoot_q(*split(v)), left(exact(v[3:])), exact(np.zeros((3, 3)))
        i = left_inverse(exact(v[3:]))
        assert distance(both, np.block([[j, q], [zero, j]])) < 1e-15
        assert distance(inverse, np.block([[i, -(i @ q @ i)], [zero, i]])) < 1e-15


def test_jacobian_is_what_it_is_for():
    """exp(xi + d) = exp(J d) exp(xi), to first order."""
    for xi in samples(sizes=False)[::9]:
        for d in 1e-6 * np.eye(6):
            step = se3.exp(xi + d) @ se3.inverse(se3.exp(xi - d))
            expected = se3.left_jacobian(xi) @ d
            assert np.abs(se3.log(step) / 2 - expected).max() < 5e-15


def test_float32():
    xi = samples(sizes=False).astype(np.float32)
    T, J = se3.exp(xi), se3.left_jacobian(xi)
    assert T.dtype == J.dtype == se3.log(T).dtype == np.float32
    truths = [barfoot_q(*split(v)) for v in xi]
    assert worst(J[:, :3, 3:], truths) < 5e-7
    t = [left(phi) @ rho for rho, phi in map(split, xi)]
    assert worst(T[:, :3, 3], t) < 5e-7


@pytest.mark.claim(
    zh="`exp`、`log`、伴随矩阵与（右）雅可比和 gtsam 一致，左雅可比和 pytransform3d 一致，顺序 [φ, ρ] 换成 [ρ, φ] 之后",
    en="`exp`, `log`, the adjoint and the (right) Jacobian agree with gtsam, the left Jacobians with pytransform3d, after changing their order [φ, ρ] into [ρ, φ]",
    against_zh="gtsam 4.3、pytransform3d 3.17",
    against_en="gtsam 4.3, pytransform3d 3.17",
    tolerance="1e-9",
)
def test_against_gtsam_and_pytransform3d():
    for xi in samples(3.0, sizes=False)[::4]:
        theirs = gtsam.Pose3.Expmap(xi[SWAP])
        T = se3.exp(xi)
        assert np.abs(theirs.matrix() - T).max() < 1e-9
        ours = se3.adjoint(T)[np.ix_(SWAP, SWAP)]
        assert np.abs(gtsam.Pose3(T).AdjointMap() - ours).max() < 1e-14
        right = se3.left_jacobian(-xi)[np.ix_(SWAP, SWAP)]
        assert np.abs(gtsam.Pose3.ExpmapDerivative(xi[SWAP]) - right).max() < 1e-7
        ours = se3.left_jacobian(xi)[np.ix_(SWAP, SWAP)]
        assert np.abs(left_jacobian_SE3(xi[SWAP]) - ours).max() < 1e-9
        ours = se3.left_jacobian_inv(xi)[np.ix_(SWAP, SWAP)]
        assert np.abs(left_jacobian_SE3_inv(xi[SWAP]) - ours).max() < 1e-9
    for xi in samples(3.0, sizes=False):
        T = se3.exp(xi)
        if np.linalg.norm(xi[3:]) > 1e-3:
            theirs = gtsam.Pose3.Logmap(gtsam.Pose3(T))
            assert np.abs(theirs[SWAP] - se3.log(T)).max() < 1e-9


@settings(max_examples=60, deadline=None)
@given(xis, xis)
def test_group_laws(a, b):
    A, B = se3.exp([a, b])
    assert np.abs(A @ se3.inverse(A) - np.eye(4)).max() < 1e-14
    assert np.abs(se3.inverse(A) - se3.exp(-a)).max() < 1e-14
    assert np.abs(A - expm(se3.hat(a))).max() < 1e-13
    assert np.abs(se3.exp(se3.log(A @ B)) - A @ B).max() < 3e-14
    if np.linalg.norm(a[3:]) < 3.1:
        assert np.abs(se3.log(A) - a).max() < 3e-14
    conjugated = A @ B @ se3.inverse(A)
    assert np.abs(conjugated - se3.exp(se3.adjoint(A) @ b)).max() < 1e-13
    product = se3.adjoint(A) @ se3.adjoint(B)
    assert np.abs(se3.adjoint(A @ B) - product).max() < 3e-14
    J, right = se3.left_jacobian(a), se3.left_jacobian(-a)
    assert np.abs(J - se3.adjoint(A) @ right).max() < 1e-13
    if np.linalg.norm(a[3:]) < 3.5:
        inverse = se3.left_jacobian_inv(a)
        assert np.abs(J @ inverse - np.eye(6)).max() < 1e-13


def test_hat_act_and_odot():
    rng = np.random.default_rng(0)
    xi, p = rng.normal(size=(30, 6)), rng.normal(size=(30, 3))
    M = se3.hat(xi)
    assert (M[:, :3, :3] == so3.hat(xi[:, 3:])).all()
    assert (M[:, :3, 3] == xi[:, :3]).all() and (M[:, 3] == 0).all()
    assert (se3.vee(M) == xi).all()
    T = se3.exp(xi)
    points = np.concatenate([p, np.ones((30, 1))], 1)
    moved = np.einsum("nij,nj->ni", T, points)
    assert np.abs(se3.act(T, p) - moved[:, :3]).max() < 3e-15
    d = rng.normal(size=(30, 6))  # d^ (T p) = (T p)⊙ d
    ours = np.einsum("nij,nj->ni", se3.odot(T, p), d)
    truths = np.einsum("nij,nj->ni", se3.hat(d), moved)
    assert np.abs(ours - truths).max() < 1e-13


def test_broadcasting():
    T = se3.exp(np.random.default_rng(0).normal(size=(7, 1, 6)))
    p = np.random.default_rng(1).normal(size=(5, 3))
    assert se3.act(T, p).shape == (7, 5, 3)
    assert se3.odot(T, p).shape == (7, 5, 4, 6)
    assert (se3.act(T, p)[3, 2] == se3.act(T[3, 0], p[2])).all()
    assert (se3.odot(T, p)[3, 2] == se3.odot(T[3, 0], p[2])).all()
    assert (se3.act(T[0, 0], p)[4] == se3.act(T[0, 0], p[4])).all()
    assert se3.act(T[:, 0], p[0]).shape == (7, 3)
    with pytest.raises(ValueError):
        se3.act(T[:, 0], p)


@pytest.mark.parametrize("size", [0, 1e-320, 1e-170, 1e-160, 1e-100])
def test_edges(size):
    axis = np.array([2, -1, 2]) / 3
    xi = np.concatenate([[1, 2, 3], size * axis])
    T = se3.exp(xi)
    assert (T[:3, 3] == [1, 2, 3]).all()
    assert np.abs(se3.log(T) - xi).max() <= 4e-16 * size + 1e-323
    Q = se3.left_jacobian(xi)[:3, 3:]
    assert np.abs(Q - so3.hat([0.5, 1, 1.5])).max() <= size
    Q = se3.left_jacobian_inv(xi)[:3, 3:]
    assert np.abs(Q + so3.hat([0.5, 1, 1.5])).max() <= size
    half_turn = se3.exp([1, 2, 3, np.pi, 0, 0])
    assert np.abs(half_turn[:3, 3] - [1, -6 / np.pi, 4 / np.pi]).max() < 1e-15
    tiny = se3.exp(np.full(6, size))
    truth = np.eye(4) + se3.hat(np.full(6, size))
    assert np.abs(tiny - truth).max() <= 1e-323


def test_types_and_inputs():
    assert se3.exp([1, 2, 3, 0, 0, 1]).dtype == float
    assert se3.log(np.eye(4, dtype=int)).dtype == float
    xi = np.random.default_rng(0).normal(size=(2, 3, 6))
    kept, tails = xi.copy(), [(4, 4), (4, 4), (6, 6), (6, 6)]
    xi.flags.writeable = False
    for function, tail in zip(OF_VECTORS, tails, strict=True):
        assert function(xi).shape == (2, 3, *tail)
        assert (function(xi)[1, 2] == function(xi[1, 2])).all()
        for bad in (np.zeros(3), np.zeros((6, 1)), 1):
            with pytest.raises(ValueError, match=r"expected \[\.\.\., 6\]"):
                function(bad)
    assert (xi == kept).all()
    T = se3.exp(xi)
    T.flags.writeable = False
    for function, tail in zip(OF_MATRICES, [(6,), (6,), (4, 4), (6, 6)], strict=True):
        assert function(T).shape == (2, 3, *tail)
        with pytest.raises(ValueError, match=r"expected \[\.\.\., 4, 4\]"):
            function(np.eye(3))
    for value in (np.nan, np.inf, 1e200):
        for function in OF_VECTORS:
            with pytest.raises(ValueError, match="finite"):
                function([value, 0, 0, 0, 0, 0])
        for function in OF_MATRICES:
            with pytest.raises(ValueError, match="finite"):
                function(np.full((4, 4), value))
        for function in (se3.act, se3.odot):
            with pytest.raises(ValueError, match="finite"):
                function(np.eye(4), [0, 0, value])
    assert se3.act(T, np.zeros(3)).shape == (2, 3, 3)
