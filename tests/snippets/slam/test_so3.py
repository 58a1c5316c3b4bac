"""so3.py against closed forms with 100 digits, scipy, gtsam, pytransform3d."""

import warnings

import gtsam
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lie_truth import (
    distance,
    exact,
    hat,
    left,
    left_inverse,
    rodrigues,
    rounded,
    vectors,
    worst,
)
from pytransform3d.rotations import left_jacobian_SO3, left_jacobian_SO3_inv
from scipy.spatial.transform import Rotation

import so3

SNIPPETS = ["slam/so3.py", "slam/rotation_formulas.py", "slam/jacobian_series.py"]
FUNCTIONS = [so3.hat, so3.exp, so3.left_jacobian, so3.left_jacobian_inv]
FUNCTIONS += [so3.right_jacobian, so3.right_jacobian_inv]
OF_MATRICES = [so3.vee, so3.log, so3.project]
AXIS = np.array([2, -1, 2]) / 3
PI = np.pi
phis = st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3).map(np.array)


@pytest.fixture(autouse=True)
def no_warning():
    """A formula that divides by zero somewhere fails here."""
    with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
        warnings.simplefilter("error")
        yield


def samples(low=0.0, high=5.0):
    phi = np.concatenate([vectors(seed) for seed in (0, 1)])
    theta = np.linalg.norm(phi, axis=1)
    return phi[(low <= theta) & (theta <= high)]


def turns(phi):
    """Rotation matrices, each element rounded once."""
    return np.array([rounded(rodrigues(exact(v))) for v in phi])


@pytest.mark.claim(
    zh="`exp` 在角度 1e-12 到 π 上的相对误差不超过 1e-15（直到 5 弧度不超过 1.2e-15）",
    en="`exp` has a relative error of at most 1e-15 for angles from 1e-12 to π (1.2e-15 up to 5 rad)",
    against_zh="mpmath 100 位的 Rodrigues 公式；368 个旋转向量",
    against_en="Rodrigues' formula in mpmath with 100 digits; 368 rotation vectors",
    tolerance="1e-15",
)
def test_exp():
    for low, high, bound in [(0, 3.2, 1e-15), (3.2, 5, 1.2e-15)]:
        phi = samples(low, high)
        truths = [rodrigues(exact(v)) for v in phi]
        assert worst(so3.exp(phi), truths) < bound


@pytest.mark.claim(
    zh="`log` 从 0 到 π，包括两端，相对误差小于 1e-15；离 π 不到 5e-16 时符号可正可负",
    en="`log` has a relative error below 1e-15 from 0 to π, both ends included; within 5e-16 of π the sign is free",
    against_zh="mpmath 100 位的旋转矩阵，每个元素只舍入一次",
    against_en="rotation matrices from mpmath with 100 digits, each element rounded once",
    tolerance="1e-15",
)
def test_log():
    phi = samples(0, PI)
    for ours, v in zip(so3.log(turns(phi)), phi, strict=True):
        error = distance(ours, exact(v))
        if PI - np.linalg.norm(v) < 5e-16:
            error = min(error, distance(-ours, exact(v)))
        assert error < 1e-15
    # The worst of some millions came to 5.7e-16; two of the bad ones:
    for v in ([0, 0, 5.032745963646498e-07], [-1.198e-05, -3.396e-05, -6.186e-06]):
        assert distance(so3.log(turns([v]))[0], exact(v)) < 1e-15
    for axis in (*np.eye(3), AXIS, [0.6, 0, -0.8]):
        n = np.array(axis)
        half_turn = so3.log(2 * np.outer(n, n) - np.eye(3))
        assert min(np.abs(half_turn - s * PI * n).max() for s in (1, -1)) < 1e-15
    assert (so3.log(np.eye(3)) == 0).all()


def test_where_the_sign_may_flip():
    """Only where rounding moves R across π: 5e-16 for float64, 5e-8 for float32."""
    axes = np.random.default_rng(0).normal(size=(20000, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)

    def flipped(gap, kind=float):
        phi = axes * (PI - gap)
        return ((so3.log(so3.exp(phi).astype(kind)) * phi).sum(1) < 0).mean()

    for gap in (1e-9, 1e-12, 1e-14, 2e-15):
        assert flipped(gap) == 0
    assert flipped(0) > 0.1
    for gap in (1e-6, 1e-7, 6e-8):
        assert flipped(gap, np.float32) == 0
    assert flipped(3e-8, np.float32) > 0.005


@pytest.mark.parametrize("theta", [2 * PI, 4 * PI])
def test_left_jacobian_is_singular_at_full_turns(theta):
    J = so3.left_jacobian(theta * AXIS)
    assert np.linalg.svd(J, compute_uv=False)[-1] < 1e-15
    assert np.abs(J @ AXIS - AXIS).max() < 1e-15


@pytest.mark.claim(
    zh="`left_jacobian` 及其逆在角度 1e-12 到 5 弧度上的相对误差：不超过 5.5e-16 与 5e-16",
    en="`left_jacobian` and its inverse have relative errors of at most 5.5e-16 and 5e-16 for angles from 1e-12 to 5 rad",
    against_zh="mpmath 100 位的闭式；逆用伴随矩阵算",
    against_en="the closed form in mpmath with 100 digits, inverted by the adjugate",
    tolerance="5.5e-16",
    snippets=["slam/so3.py", "slam/jacobian_formulas.py"],
)
def test_left_jacobian_and_inverse():
    for low, high, one, two in [(0, 3.2, 5e-16, 5e-16), (3.2, 5, 5.5e-16, 5e-16)]:
        phi = samples(low, high)
        truths = [exact(v) for v in phi]
        assert worst(so3.left_jacobian(phi), [left(v) for v in truths]) < one
        inverses = [left_inverse(v) for v in truths]
        assert worst(so3.left_jacobian_inv(phi), inverses) < two
        mirrored = [left(-v) for v in truths]
        assert worst(so3.right_jacobian(phi), mirrored) < one
        inverses = [left_inverse(-v) for v in truths]
        assert worst(so3.right_jacobian_inv(phi), inverses) < two


def test_jacobians_are_what_they_are_for():
    """exp(phi + d) = exp(J_l d) exp(phi) = exp(phi) exp(J_r d), to first order."""
    for phi in samples(1e-3)[::7]:
        for d in 1e-6 * np.eye(3):
            up, down = so3.exp(phi + d), so3.exp(phi - d)
            left_step = so3.log(up @ down.T) / 2
            right_step = so3.log(down.T @ up) / 2
            assert np.abs(left_step - so3.left_jacobian(phi) @ d).max() < 1e-15
            assert np.abs(right_step - so3.right_jacobian(phi) @ d).max() < 1e-15


def test_float32():
    phi = samples().astype(np.float32)
    truths = [exact(v) for v in phi]
    assert so3.exp(phi).dtype == so3.left_jacobian(phi).dtype == np.float32
    assert worst(so3.left_jacobian(phi), [left(v) for v in truths]) < 3e-7
    assert worst(so3.exp(phi), [rodrigues(v) for v in truths]) < 2e-7
    phi = samples(0, PI - 1e-2).astype(np.float32)
    turned = turns(phi).astype(np.float32)
    assert so3.log(turned).dtype == np.float32
    assert worst(so3.log(turned), [exact(v) for v in phi]) < 2e-7


def test_against_scipy_gtsam_and_pytransform3d():
    phi = samples(0, 3.1)
    R = so3.exp(phi)
    theirs = Rotation.from_rotvec(phi)
    assert np.abs(R - theirs.as_matrix()).max() < 2e-15
    assert np.abs(so3.log(R) - Rotation.from_matrix(R).as_rotvec()).max() < 4e-15
    for v, turned in zip(phi[::5], R[::5], strict=True):
        assert np.abs(gtsam.Rot3.Expmap(v).matrix() - turned).max() < 4e-15
        ours = so3.right_jacobian(v)
        assert np.abs(gtsam.Rot3.ExpmapDerivative(v) - ours).max() < 1e-8
        assert np.abs(left_jacobian_SO3(v) - so3.left_jacobian(v)).max() < 1e-9
        ours = so3.left_jacobian_inv(v)
        assert np.abs(left_jacobian_SO3_inv(v) - ours).max() < 1e-9
    for v in samples(0.1, 3.0)[::5]:
        ours = so3.right_jacobian_inv(v)
        assert np.abs(gtsam.Rot3.LogmapDerivative(v) - ours).max() < 1e-13


@settings(max_examples=60, deadline=None)
@given(phis, phis, phis)
def test_group_laws(a, b, c):
    A, B, C = so3.exp([a, b, c])
    assert np.abs(A @ so3.exp(-a) - np.eye(3)).max() < 3e-15
    assert np.abs(A.T - so3.exp(-a)).max() < 1e-15
    assert np.abs((A @ B) @ C - A @ (B @ C)).max() < 3e-15
    assert np.abs(so3.exp(so3.log(A @ B)) - A @ B).max() < 3e-15
    assert abs(np.linalg.det(A) - 1) < 3e-15
    if np.linalg.norm(a) < 3.14:
        assert np.abs(so3.log(A) - a).max() < 3e-15
    # R exp(v) Rᵀ = exp(R v): the adjoint of SO(3) is R itself
    assert np.abs(A @ B @ A.T - so3.exp(A @ b)).max() < 5e-15
    assert np.abs(so3.exp(2 * a) - A @ A).max() < 5e-15  # one parameter


def test_hat_is_the_cross_product():
    rng = np.random.default_rng(0)
    v, p = rng.normal(size=(2, 50, 3))
    crossed = np.einsum("nij,nj->ni", so3.hat(v), p)
    assert np.abs(crossed - np.cross(v, p)).max() < 1e-15
    assert (so3.vee(so3.hat(v)) == v).all()
    assert (so3.hat([1, 2, 3]) == hat([1, 2, 3]).astype(float)).all()


@pytest.mark.parametrize("size", [0, 1e-320, 1e-170, 1e-162, 1e-158, 1e-100, PI])
def test_edges(size):
    phi = size * AXIS
    R = so3.exp(phi)
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15
    if size < 1:
        for ours, factor in [
            (R, 1),
            (so3.left_jacobian(phi), 0.5),
            (so3.left_jacobian_inv(phi), -0.5),
        ]:
            truth = np.eye(3) + so3.hat(factor * phi)
            assert np.abs(ours - truth).max() <= 1e-323
        back = so3.log(R)
    else:
        back = so3.log(R) * np.sign(so3.log(R) @ phi)
    assert np.abs(back - phi).max() <= 4e-16 * size + 1e-323


def test_types_and_inputs():
    assert so3.exp([1, 2, 3]).dtype == so3.exp(np.array([1, 2, 3])).dtype == float
    assert (so3.exp([1, 2, 3]) == so3.exp([1.0, 2.0, 3.0])).all()
    assert so3.log(np.eye(3, dtype=int)).dtype == float
    phi = np.random.default_rng(0).normal(size=(4, 5, 3))
    kept = phi.copy()
    phi.flags.writeable = False
    for function in FUNCTIONS:
        assert function(phi).shape == (4, 5, 3, 3)
        assert (function(phi)[2, 3] == function(phi[2, 3])).all()
    M = so3.exp(phi)
    M.flags.writeable = False
    for function, tail in zip(OF_MATRICES, [(3,), (3,), (3, 3)], strict=True):
        assert function(M).shape == (4, 5, *tail)
    assert (phi == kept).all()
    wrong = [np.zeros(4), np.zeros((3, 2)), 1.0, np.zeros((0, 4))]
    for function in FUNCTIONS:
        for bad in wrong:
            with pytest.raises(ValueError, match=r"expected \[\.\.\., 3\]"):
                function(bad)
    for function in OF_MATRICES:
        for bad in [np.zeros(3), np.zeros((4, 4)), np.zeros((3, 2))]:
            with pytest.raises(ValueError, match=r"expected \[\.\.\., 3, 3\]"):
                function(bad)
    for function in FUNCTIONS + OF_MATRICES:
        shape = (3,) if function in FUNCTIONS else (3, 3)
        for value in (np.nan, np.inf, -np.inf, 1e200):
            bad = np.zeros(shape)
            bad[-1] = value
            with pytest.raises(ValueError, match="finite"):
                function(bad)


def davenport(M):
    """The nearest rotation's quaternion is an eigenvector (q-method)."""
    z = np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
    K = np.zeros((4, 4))
    K[1:, 1:] = M + M.T - np.trace(M) * np.eye(3)
    K[0, 1:] = K[1:, 0] = z
    K[0, 0] = np.trace(M)
    q = np.linalg.eigh(K)[1][:, -1]
    return Rotation.from_quat(q, scalar_first=True).as_matrix()


def test_project():
    rng = np.random.default_rng(0)
    R = so3.exp(rng.normal(size=(40, 3)))
    assert np.abs(so3.project(R) - R).max() < 2e-15
    noisy = R + 0.3 * rng.normal(size=R.shape)
    reflected = noisy * [1, 1, -1]
    anything = rng.normal(size=(40, 3, 3))
    M = np.concatenate([noisy, reflected, anything])
    assert (np.linalg.det(M) < 0).sum() > 40
    near = so3.project(M)
    assert np.abs(np.linalg.det(near) - 1).max() < 1e-14
    truths = np.array([davenport(m) for m in M])
    assert np.abs(near - truths).max() < 1e-10
