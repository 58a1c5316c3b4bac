"""Coefficients of J_l, of its inverse, and of their derivatives.

Each matrix here is F(phi) = even I + odd phi^ + square phi phiᵀ, whose three
coefficients depend on θ = |phi| alone. The batch is the last dimension.
"""

import numpy as np

from jacobian_series import DB, DC, DDB, C, series_or
from rotation_formulas import cross, half_sinc, norm, skew


# --8<-- [start:left]
def left(theta: np.ndarray) -> tuple:
    """a, b, c of J_l = a I + b phi^ + c phi phiᵀ.

    a = sin θ / θ, b = (1 − cos θ) / θ², c = (θ − sin θ) / θ³.
    """
    half = half_sinc(theta)
    a, b = 2 * half * np.cos(theta / 2), 2 * half * half
    return a, b, series_or(theta, C, lambda t: (1 - a) / t / t)


def left_slopes(theta, a, b, c) -> tuple:
    """a' / θ, b' / θ, c' / θ."""
    return (
        c - b,
        series_or(theta, DB, lambda t: (a - 2 * b) / t / t),
        series_or(theta, DC, lambda t: (b - 3 * c) / t / t),
    )


# --8<-- [end:left]


# --8<-- [start:inverse]
def inverse_coefficients(theta: np.ndarray) -> tuple:
    """The coefficients of J_l⁻¹: (θ/2) cot(θ/2), −1/2, and gamma.

    gamma = (1 − (θ/2) cot(θ/2)) / θ² = −b' / (2 b θ), without cancellation.
    """
    half = half_sinc(theta)
    a, b = 2 * half * np.cos(theta / 2), 2 * half * half
    db = series_or(theta, DB, lambda t: (a - 2 * b) / t / t)
    return a / (2 * b), np.full_like(theta, -0.5), -db / (2 * b)


def inverse_slopes(theta, alpha, half, gamma) -> tuple:
    """Their derivatives divided by θ."""
    b = 2 * half_sinc(theta) ** 2
    a, db = 2 * b * alpha, -2 * b * gamma
    ddb = series_or(
        theta, DDB, lambda t: ((np.cos(t) - a) / t / t - 4 * db) / t / t
    )
    d_gamma = ((db / b) ** 2 - ddb / b) / 2
    return -2 * gamma - theta**2 * d_gamma, 0 * theta, d_gamma


# --8<-- [end:inverse]


def at(phi, coefficients, slopes) -> tuple:
    """The coefficients at θ = |phi|, and their derivatives divided by θ.

    float64 rounds θ by up to half a unit in its last digit; beyond pi it
    shows. What long double keeps of the rest is added to first order.
    """
    exact = norm(phi.astype(np.longdouble))
    theta = exact.astype(np.float64)
    rest = theta * (exact - theta).astype(np.float64)
    values = coefficients(theta)
    slope = slopes(theta, *values)
    return [v + s * rest for v, s in zip(values, slope, strict=True)], slope


# --8<-- [start:matrix]
def outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a bᵀ of vectors [3, n]."""
    return a[:, None] * b[None]


def parts(phi: np.ndarray) -> tuple:
    """I, phi^ and phi phiᵀ, which every F(phi) is made of."""
    return np.eye(3)[:, :, None], skew(phi), outer(phi, phi)


def combine(coefficients, parts) -> np.ndarray:
    """even I + odd phi^ + square phi phiᵀ [3, 3, n]."""
    return sum(c * part for c, part in zip(coefficients, parts, strict=True))


def times(phi, v, coefficients) -> np.ndarray:
    """F(phi) v [3, n]."""
    even, odd, square = coefficients(norm(phi))
    return even * v + odd * cross(phi, v) + square * (phi * v).sum(0) * phi


# --8<-- [start:blocks]
def blocks(xi, coefficients, slopes) -> np.ndarray:
    """[F Q; 0 F] [6, 6, n] of xi = [rho, phi] [6, n].

    Q is the derivative of F along rho: d/dε F(phi + ε rho) at ε = 0.
    """
    rho, phi = xi[:3], xi[3:]
    values, slope = at(phi, coefficients, slopes)
    _, odd, square = values
    fixed, along = parts(phi), (rho * phi).sum(0)
    out = np.zeros((6, 6, xi.shape[1]))
    out[:3, :3] = out[3:, 3:] = combine(values, fixed)
    out[:3, 3:] = (
        combine([s * along for s in slope], fixed)
        + odd * skew(rho)
        + square * (outer(rho, phi) + outer(phi, rho))
    )
    return out


# --8<-- [end:blocks]
# --8<-- [end:matrix]
