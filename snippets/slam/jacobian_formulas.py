"""Coefficients of J_l, of its inverse, and of their derivatives.

Each matrix here is F(phi) = even I + odd phi^ + square phi phiᵀ, whose three
coefficients depend on θ = |phi| alone. The batch is the last dimension.
"""

from math import factorial

import numpy as np
from numpy.polynomial.polynomial import polyval

from rotation_formulas import half_sinc, norm, skew

NEAR = 3.0  # radians: below it a series is more accurate than the closed form
# Coefficients of θ⁰, θ², θ⁴, … of c, b' / θ, c' / θ, and (b' / θ)' / θ.
C = [(-1) ** k / factorial(2 * k + 3) for k in range(15)]
DB = [(-1) ** k * 2 * k / factorial(2 * k + 2) for k in range(1, 16)]
DC = [(-1) ** k * 2 * k / factorial(2 * k + 3) for k in range(1, 16)]
DDB = [
    (-1) ** k * 2 * k * (2 * k - 2) / factorial(2 * k + 2)
    for k in range(2, 17)
]


def series_or(theta, series, closed):
    """A series in θ² below NEAR, closed(θ) above it."""
    near, far = np.minimum(theta, NEAR), np.maximum(theta, NEAR)
    return np.where(theta < NEAR, polyval(near * near, series), closed(far))


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
    a, b, c = left(theta)
    _, db, _ = left_slopes(theta, a, b, c)
    return a / (2 * b), np.full_like(theta, -0.5), -db / (2 * b)


def inverse_slopes(theta, alpha, half, gamma) -> tuple:
    """Their derivatives divided by θ."""
    a, b, c = left(theta)
    da, db, _ = left_slopes(theta, a, b, c)
    ddb = series_or(theta, DDB, lambda t: (da - 4 * db) / t / t)
    d_gamma = ((db / b) ** 2 - ddb / b) / 2
    return -2 * gamma - theta**2 * d_gamma, 0 * theta, d_gamma


# --8<-- [end:inverse]


# --8<-- [start:matrix]
def outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a bᵀ of vectors [3, n]."""
    return a[:, None] * b[None]


def matrix(phi, even, odd, square) -> np.ndarray:
    """F(phi) [3, 3, n]."""
    eye = np.eye(3)[:, :, None]
    return even * eye + odd * skew(phi) + square * outer(phi, phi)


def times(phi, v, coefficients) -> np.ndarray:
    """F(phi) v [3, n]."""
    even, odd, square = coefficients(norm(phi))
    x, y, z = phi
    a, b, c = v
    turned = np.array([y * c - z * b, z * a - x * c, x * b - y * a])
    return even * v + odd * turned + square * (phi * v).sum(0) * phi


# --8<-- [start:blocks]
def blocks(xi, coefficients, slopes) -> np.ndarray:
    """[F Q; 0 F] [6, 6, n] of xi = [rho, phi] [6, n].

    Q is the derivative of F along rho: d/dε F(phi + ε rho) at ε = 0.
    """
    rho, phi = xi[:3], xi[3:]
    theta, along = norm(phi), (rho * phi).sum(0)
    even, odd, square = coefficients(theta)
    out = np.zeros((6, 6, xi.shape[1]))
    out[:3, :3] = out[3:, 3:] = matrix(phi, even, odd, square)
    out[:3, 3:] = (
        matrix(phi, *(s * along for s in slopes(theta, even, odd, square)))
        + odd * skew(rho)
        + square * (outer(rho, phi) + outer(phi, rho))
    )
    return out


# --8<-- [end:blocks]
# --8<-- [end:matrix]
