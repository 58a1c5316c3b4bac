"""Rotation formulas for one vector or many: the batch is the last dimension.

A vector is [3, n], a matrix [3, 3, n], a quaternion w, x, y, z [4, n]. so3.py,
se3.py and quaternion.py apply them to arrays of any shape.
"""

import numpy as np


def norm(v: np.ndarray) -> np.ndarray:
    """Length of vectors [k, n]."""
    return np.sqrt((v * v).sum(0))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b of vectors [3, n]."""
    x, y, z = a
    u, v, w = b
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


# --8<-- [start:skew]
def skew(v: np.ndarray) -> np.ndarray:
    """The matrix of v × ·, from [3, n] to [3, 3, n]."""
    x, y, z = v
    o = np.zeros_like(x)
    return np.array([[o, -z, y], [z, o, -x], [-y, x, o]])


# --8<-- [end:skew]


# --8<-- [start:exp]
def half_sinc(theta: np.ndarray) -> np.ndarray:
    """sin(theta / 2) / theta; 1/2 at zero."""
    safe = np.where(theta > 0, theta, 1)
    return np.where(theta > 0, np.sin(theta / 2) / safe, 0.5)


def unit_quaternion(phi: np.ndarray) -> np.ndarray:
    """cos(|phi| / 2), sin(|phi| / 2) phi / |phi|, as [4, n]."""
    theta = norm(phi)
    return np.array([np.cos(theta / 2), *phi * half_sinc(theta)])


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    """R [3, 3, n] of unit quaternions: p' = q p q⁻¹ written out."""
    w, x, y, z = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return np.array(
        [
            [1 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1 - (xx + yy)],
        ]
    )


# --8<-- [end:exp]


# --8<-- [start:log]
def scaled_quaternion(R: np.ndarray) -> np.ndarray:
    """A multiple of R's quaternion, w, x, y, z, as [4, n], with w >= 0.

    4 q qᵀ is affine in R; of its rows, the one with the largest diagonal
    element has no cancellation.
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    w2, x2, y2, z2 = 1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i
    wx, wy, wz = h - f, c - g, d - b
    xy, xz, yz = d + b, c + g, h + f
    top, low = w2 >= x2, y2 >= z2
    q = np.where(
        np.where(top, w2, x2) >= np.where(low, y2, z2),
        np.where(top, [w2, wx, wy, wz], [wx, x2, xy, xz]),
        np.where(low, [wy, xy, y2, yz], [wz, xz, yz, z2]),
    )
    return np.where(q[0] < 0, -q, q)


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """The shortest rotation vector [3, n] of quaternions [4, n], w >= 0.

    The angle is 2 atan2(|v|, w): accurate near zero and near pi, where acos of
    the trace is not, and q need not have unit length.
    """
    w, v = q[0], q[1:]
    length = norm(v)
    safe = np.where(length > 0, length, 1)
    angle = 2 * np.arctan2(length, w)
    return v * np.where(length > 0, angle / safe, 2 / np.where(w > 0, w, 1))


# --8<-- [end:log]


def untwisted(q: np.ndarray, t: np.ndarray) -> np.ndarray:
    """J_l⁻¹ t [3, n] of the rotation by the angle θ about a, q as above.

    t − (θ/2) a × t + (1 − (θ/2) cot(θ/2)) a × (a × t).
    """
    w, length = q[0], norm(q[1:])
    safe = np.where(length > 0, length, 1)
    half = np.arctan2(length, w)
    square = np.where(length > 0, 1 - half * w / safe, 0)
    across = cross(q[1:] / safe, t)
    return t - half * across + square * cross(q[1:] / safe, across)
