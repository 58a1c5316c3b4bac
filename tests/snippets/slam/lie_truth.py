"""Closed forms of SO(3) and SE(3) with 100 digits, as arrays of mpf."""

import numpy as np
from mpmath import mp, mpf

mp.dps = 100
EPS = np.finfo(float).eps


def exact(array):
    """Floats as they are, without rounding."""
    return np.vectorize(mpf, otypes=[object])(np.asarray(array, float))


def rounded(array):
    """mpf to the nearest floats."""
    return np.vectorize(float, otypes=[float])(array)


def hat(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], object)


def angle(phi):
    return mp.sqrt(sum(x * x for x in phi))


def rodrigues(phi):
    t, P = angle(phi), hat(phi)
    eye = exact(np.eye(3))
    return eye + (mp.sin(t) / t) * P + ((1 - mp.cos(t)) / t**2) * P @ P


def left(phi):
    """J_l = I + (1 − cos θ)/θ² φ^ + (θ − sin θ)/θ³ φ^φ^."""
    t, P = angle(phi), hat(phi)
    b, c = (1 - mp.cos(t)) / t**2, (t - mp.sin(t)) / t**3
    return exact(np.eye(3)) + b * P + c * P @ P


def left_inverse(phi):
    """By the adjugate: no formula of ours."""
    m = left(phi)
    rows = [np.roll(m, -k, 0) for k in (1, 2)]
    cofactors = np.roll(rows[0], -1, 1) * np.roll(rows[1], -2, 1)
    cofactors = cofactors - np.roll(rows[0], -2, 1) * np.roll(rows[1], -1, 1)
    return cofactors.T / (m[0] @ cofactors[0])


def barfoot_q(rho, phi):
    """Barfoot's closed form of Q, four terms in φ^ and ρ^."""
    t, P, S = angle(phi), hat(phi), hat(rho)
    c, s = mp.cos(t), mp.sin(t)
    PS, SP = P @ S, S @ P
    PSP, PP = P @ S @ P, P @ P
    return (
        S / 2
        + (t - s) / t**3 * (PS + SP + PSP)
        + (t**2 + 2 * c - 2) / (2 * t**4) * (PP @ S + S @ PP - 3 * PSP)
        + (2 * t - 3 * s + t * c) / (2 * t**5) * (PSP @ P + P @ PSP)
    )


def series_q(rho, phi, terms=60):
    """Σ φ^ⁿ ρ^ φ^ᵐ / (n + m + 2)!, summed by the total power k = n + m."""
    P = hat(phi)
    inner = hat(rho)  # Σ over n + m = k of φ^ⁿ ρ^ φ^ᵐ
    power, total, factorial = exact(np.eye(3)), hat(rho) / mpf(2), mpf(2)
    for k in range(1, terms):
        power = power @ P
        inner = P @ inner + hat(rho) @ power
        factorial *= k + 2
        total = total + inner / factorial
    return total


def distance(ours, truth):
    """Frobenius norm of the error, relative to the truth's."""
    error = exact(ours) - truth
    size = sum(x * x for x in truth.ravel())
    return float(mp.sqrt(sum(x * x for x in error.ravel()) / size))


def angles():
    """From 1e-12 to pi and beyond, close to 0, 3 and pi, up to 5."""
    near = np.concatenate(
        [np.logspace(-12, 0, 49), 3 + np.linspace(-1e-3, 1e-3, 6)]
    )
    gaps = np.logspace(-12, -1, 34)
    return np.concatenate(
        [near, np.linspace(0.9, 5, 60), np.pi - gaps, [np.pi], np.pi + gaps]
    )


def vectors(seed, top=5.0):
    """A rotation vector for each of the angles, in all directions."""
    rng = np.random.default_rng(seed)
    theta = angles()
    theta = theta[theta <= top]
    axes = rng.normal(size=(len(theta), 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return axes * theta[:, None]


def worst(ours, truths):
    return max(distance(a, b) for a, b in zip(ours, truths, strict=True))
