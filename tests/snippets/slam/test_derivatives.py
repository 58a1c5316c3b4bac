"""bch.py, perturbation.py, gauss_newton.py, numeric_jacobian.py and the wrong ones."""

import subprocess
import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import bch
import gauss_newton
import perturbation
import se3
import so3
import wrong_mixed_sides
from numeric_jacobian import numeric_jacobian

SNIPPETS = ["slam/bch.py", "slam/perturbation.py", "slam/gauss_newton.py",
            "slam/numeric_jacobian.py", "slam/wrong_mixed_sides.py",
            "slam/wrong_small_step.py"]
FOLDER = Path(bch.__file__).parent
MODELS = [gauss_newton.left_model, gauss_newton.right_model, gauss_newton.additive_model]
vectors = st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3).map(np.array)


def output(name):
    done = subprocess.run([sys.executable, f"{name}.py"], cwd=FOLDER, capture_output=True,
                          text=True, timeout=60)
    assert not done.stderr, done.stderr
    return done.stdout


def composed(a, b):
    """log(exp(a) exp(b)) by scipy."""
    return (Rotation.from_rotvec(a) * Rotation.from_rotvec(b)).as_rotvec()


@pytest.mark.claim(
    zh="BCH 级数截到第 1、2、3 阶，余项分别随尺度的 2、3、4 次方缩小",
    en="The remainder of the BCH series to order 1, 2, 3 shrinks with the 2nd, 3rd, 4th power of the size",
    against_zh="scipy 的旋转复合", against_en="scipy's composition of rotations",
    tolerance="0.1 of the power")
@pytest.mark.parametrize("order", [1, 2, 3])
def test_series(order):
    def off(size):
        a, b = size * bch.DELTA, size * bch.PHI
        return np.linalg.norm(composed(a, b) - sum(bch.terms(a, b)[:order]))

    assert abs(np.log2(off(0.1) / off(0.05)) - order - 1) < 0.1


@pytest.mark.claim(
    zh="一阶近似 φ + J_l⁻¹δ 的余项与 |δ|² 成正比；不乘 J_l⁻¹ 时只与 |δ| 成正比",
    en="The remainder of φ + J_l⁻¹δ is proportional to |δ|², without J_l⁻¹ only to |δ|",
    against_zh="scipy 的旋转复合", against_en="scipy's composition of rotations",
    tolerance="1 % of the constant")
def test_first_order_remainder():
    def off(size, model):
        exact = composed(size * bch.DELTA, bch.PHI)
        return np.linalg.norm(exact - model(size * bch.DELTA))

    first = [off(s, lambda d: bch.first_order(bch.PHI, d)) / s**2 for s in (1e-2, 1e-3)]
    plain = [off(s, lambda d: bch.PHI + d) / s for s in (1e-2, 1e-3)]
    assert first[0] == pytest.approx(first[1], rel=0.01) == pytest.approx(0.087, rel=0.01)
    assert plain[0] == pytest.approx(plain[1], rel=0.01) == pytest.approx(0.503, rel=0.01)


@given(vectors, vectors)
def test_product_is_the_composition(a, b):
    np.testing.assert_allclose(so3.exp(bch.product(a, b)),
                               Rotation.from_rotvec(composed(a, b)).as_matrix(), atol=1e-13)


def test_numeric_jacobian_of_known_functions():
    J = numeric_jacobian(lambda d: np.array([d[0] * d[1] + 3 * d[2], np.exp(d[0])]), 3)
    np.testing.assert_allclose(J, [[0, 0, 3], [1, 0, 0]], atol=1e-10)
    at = np.array([0.7, -0.2])
    J = numeric_jacobian(lambda d: np.array([np.sin((at + d) @ at)]), 2, h=1e-6)
    np.testing.assert_allclose(J[0], np.cos(at @ at) * at, atol=1e-9)


def torch_hat(v):
    zero = torch.zeros((), dtype=v.dtype)
    return torch.stack([zero, -v[2], v[1], v[2], zero, -v[0], -v[1], v[0], zero]).reshape(3, 3)


@pytest.mark.claim(
    zh="旋转一个点的三种导数（导数模型、左扰动、右扰动）都对",
    en="All three derivatives of a rotated point (derivative model, left and right perturbation) are right",
    against_zh="torch 对 matrix_exp 的自动求导", against_en="torch's autograd through matrix_exp",
    tolerance="1e-13")
@pytest.mark.parametrize("phi", [perturbation.PHI, [1e-9, 0, 0], [0, 3.0, 0], [1.9, -2.0, 1.1]])
def test_three_derivatives_of_a_rotated_point(phi):
    phi, p = np.asarray(phi, float), perturbation.P
    R, v, q = (torch.tensor(a) for a in (so3.exp(phi), phi, p))
    moves = {
        perturbation.derivative_model: lambda d: torch.matrix_exp(torch_hat(v + d)) @ q,
        perturbation.left_perturbation: lambda d: torch.matrix_exp(torch_hat(d)) @ R @ q,
        perturbation.right_perturbation: lambda d: R @ torch.matrix_exp(torch_hat(d)) @ q}
    zero = torch.zeros(3, dtype=torch.float64)
    for formula, move in moves.items():
        true = torch.autograd.functional.jacobian(move, zero).numpy()
        np.testing.assert_allclose(formula(phi, p), true, atol=1e-13)


def test_left_and_right_differ_as_much_as_the_rotation_turns():
    """The old article calls the difference slight."""
    left = perturbation.left_perturbation(perturbation.PHI, perturbation.P)
    right = perturbation.right_perturbation(perturbation.PHI, perturbation.P)
    np.testing.assert_allclose(right, left @ so3.exp(perturbation.PHI), atol=1e-14)
    assert np.abs(left - right).max() == pytest.approx(2.45, abs=0.01)


def test_the_derivative_model_breaks_down_at_two_pi():
    conditions = [np.linalg.cond(so3.left_jacobian([0, 0, 2 * np.pi - gap]))
                  for gap in (1e-2, 1e-4)]
    assert conditions == [pytest.approx(627.3, abs=0.1), pytest.approx(62831, abs=2)]


@pytest.mark.claim(
    zh="位姿的三种模型，雅可比都与各自的更新方式一致",
    en="For a pose, each model's Jacobian is the derivative of its own update",
    against_zh="60 位精度的 mpmath 差分", against_en="differences in mpmath with 60 digits",
    tolerance="1e-12")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_pose_jacobians(model):
    xi = np.array([0.3, -1.0, 0.8, 0.4, 0.9, -0.3])
    T, p = se3.exp(xi), gauss_newton.POINTS[0]
    J, _ = model(T, p[None])

    def matrix_exp(v):
        hat = mp.matrix(4)
        for (i, j), k in {(2, 1): 3, (0, 2): 4, (1, 0): 5}.items():
            hat[i, j], hat[j, i] = v[k], -v[k]
        for i in range(3):
            hat[i, 3] = v[i]
        return mp.expm(hat)

    with mp.workdps(60):
        true_T = matrix_exp([mp.mpf(float(x)) for x in xi])
        moves = {"left_model": lambda d: matrix_exp(d) * true_T,
                 "right_model": lambda d: true_T * matrix_exp(d),
                 "additive_model": lambda d: matrix_exp([a + mp.mpf(float(b))
                                                         for a, b in zip(d, xi, strict=True)])}
        point, h = mp.matrix([*map(float, p), 1]), mp.mpf(10) ** -25
        for k in range(6):
            d = [h * (i == k) for i in range(6)]
            moved = (moves[model.__name__](d) * point
                     - moves[model.__name__]([-x for x in d]) * point) / (2 * h)
            np.testing.assert_allclose(J[0, :, k], [float(x) for x in moved[:3]], atol=1e-12)


@pytest.mark.claim(
    zh="三种模型都收敛到真值；左、右扰动每一步得到的位姿完全相同",
    en="All three models converge to the true pose; left and right perturbation take the very same steps",
    against_zh="生成数据时用的位姿", against_en="the pose that made the data",
    tolerance="1e-12")
def test_gauss_newton_converges():
    paths = {m: gauss_newton.solve(m, gauss_newton.START, gauss_newton.POINTS, gauss_newton.SEEN, 8)
             for m in MODELS}
    for path in paths.values():
        np.testing.assert_allclose(path[-1], gauss_newton.TRUE, atol=1e-12)
    left, right, _ = paths.values()
    np.testing.assert_allclose(left, right, atol=1e-12)
    errors = gauss_newton.distances(left)
    assert errors[5] < 1e-10 < errors[4] < 1e-3 < errors[3]


def test_with_noise_the_convergence_is_linear():
    worst = []
    for seed in range(8):
        noise = np.random.default_rng(seed).normal(size=(20, 3)) * 0.5
        path = gauss_newton.solve(gauss_newton.left_model, gauss_newton.START,
                                  gauss_newton.POINTS, gauss_newton.SEEN + noise, 30)
        left = np.linalg.norm(se3.log(se3.inverse(path[-1]) @ path), axis=-1)
        rates = left[7:11] / left[6:10]
        np.testing.assert_allclose(rates, rates.mean(), rtol=0.2)  # linear: it stays
        worst += rates.tolist()
    assert (round(min(worst), 2), round(max(worst), 2)) == (0.07, 0.38)


def test_gauss_newton_finds_the_least_squares_pose():
    """With noise: the same pose as scipy's closed form."""
    noise = np.random.default_rng(1).normal(size=(20, 3)) * 0.05
    seen = gauss_newton.SEEN + noise
    T = gauss_newton.solve(gauss_newton.left_model, gauss_newton.START, gauss_newton.POINTS,
                           seen, 30)[-1]
    a, b = gauss_newton.POINTS, seen
    R, _ = Rotation.align_vectors(b - b.mean(0), a - a.mean(0))
    np.testing.assert_allclose(T[:3, :3], R.as_matrix(), atol=1e-9)
    np.testing.assert_allclose(T[:3, 3], b.mean(0) - R.as_matrix() @ a.mean(0), atol=1e-9)


def test_shapes_of_the_derivatives():
    """The old article makes the derivative of the scalar cost 6 × 6."""
    T, p = gauss_newton.START, gauss_newton.POINTS
    J, update = gauss_newton.left_model(T, p)
    residual = se3.act(T, p) - gauss_newton.SEEN

    def cost(d):
        return np.array([0.5 * ((se3.act(update(d), p) - gauss_newton.SEEN) ** 2).sum()])

    gradient = numeric_jacobian(cost, 6)
    assert gradient.shape == (1, 6) and J[0].shape == (3, 6)
    np.testing.assert_allclose(gradient[0], np.einsum("nik,ni->k", J, residual), atol=1e-6)


@pytest.mark.claim(
    zh="左扰动的雅可比配右乘更新：迭代 6 次后离真值还有 3.4，配对正确时 5 次即小于 1e-10",
    en="A left Jacobian with a right update is still 3.4 from the solution after 6 iterations; matched, 5 bring it below 1e-10",
    against_zh="生成数据时用的位姿", against_en="the pose that made the data")
def test_mixed_sides_do_not_converge():
    errors = gauss_newton.distances(gauss_newton.solve(
        wrong_mixed_sides.mixed, gauss_newton.START, gauss_newton.POINTS, gauss_newton.SEEN, 6))
    assert f"iteration 6: {errors[6]:.2f}" in output("wrong_mixed_sides")
    assert errors[6] == pytest.approx(3.42, abs=0.01)
    longer = gauss_newton.distances(gauss_newton.solve(
        wrong_mixed_sides.mixed, gauss_newton.START, gauss_newton.POINTS, gauss_newton.SEEN, 30))
    assert longer[5:].min() > 0.5


@pytest.mark.claim(
    zh="步长 1e-14 的中心差分把正确的雅可比判错；步长 1e-5 时与公式相差不到 1e-9",
    en="Central differences with a step of 1e-14 reject a correct Jacobian; with 1e-5 they agree with it to 1e-9",
    against_zh="−(Rp)^", against_en="−(Rp)^", tolerance="1e-9")
def test_step_size():
    assert output("wrong_small_step") == "same as the formula to 1e-2: False\n"
    for formula, moved in perturbation.MOVED.items():
        J = formula(perturbation.PHI, perturbation.P)
        assert np.abs(J - numeric_jacobian(moved, 3)).max() < 1e-9
    assert output("perturbation").count("ok: True") == 3


def test_the_limit_is_divided_by_the_step():
    """The old article divides the SE(3) limit by xi instead of the step."""
    xi, p = np.array([0.3, -1.0, 0.8, 0.4, 0.9, -0.3]), gauss_newton.POINTS[0]
    T = se3.exp(xi)
    for size in (1e-4, 1e-5):
        step = size * np.eye(6)
        change = (se3.act(se3.exp(step) @ T, p) - se3.act(T, p)).T
        np.testing.assert_allclose(change / size, se3.odot(T, p)[:3], atol=20 * size)
        assert np.abs(change / np.linalg.norm(xi)).max() < 20 * size
