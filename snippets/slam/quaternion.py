"""Unit quaternions for rotations: Hamilton's, in the order w, x, y, z.

q [..., 4] turns p into q p q⁻¹; q and -q are the same rotation; i j = k.
float32 in gives float32 out; ValueError for a wrong trailing shape, a number
that is not finite, and a zero quaternion where a rotation is meant.
"""

import numpy as np

from batch import batched
from rotation_formulas import (
    norm,
    rotation_matrix,
    rotation_vector,
    scaled_quaternion,
    unit_quaternion,
)


def unit(q):
    """q [4, n] with length 1."""
    if not q.any(0).all():
        raise ValueError("a zero quaternion is not a rotation")
    q = q / np.abs(q).max(0)
    return q / norm(q)


# --8<-- [start:product]
@batched((4,), (4,))
def multiply(a, b):
    """The Hamilton product a b [..., 4]: the rotation b, then a."""
    w, x, y, z = a
    s, i, j, k = b
    return np.array(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ]
    )


@batched((4,), (3,))
def rotate(q, p):
    """The rotated vector q p q⁻¹ [..., 3]."""
    w, v = unit(q)[0], unit(q)[1:]
    turned = np.cross(v, p, axis=0)
    return p + 2 * (w * turned + np.cross(v, turned, axis=0))


# --8<-- [end:product]
@batched((4,))
def conjugate(q):
    """w, -x, -y, -z."""
    return np.array([q[0], *-q[1:]])


@batched((4,))
def inverse(q):
    """q⁻¹, with q q⁻¹ = 1: the conjugate divided by |q|²."""
    size = (unit(q) * q).sum(0)  # |q|, safe from underflow
    if size.min(initial=1) < 1e-308:
        raise ValueError("below 1e-308 a quaternion is too small to invert")
    w, x, y, z = unit(q) / size
    return np.array([w, -x, -y, -z])


@batched((3, 3))
def from_matrix(R):
    """The unit q [..., 4] of a rotation R [..., 3, 3], with w >= 0."""
    return unit(scaled_quaternion(R))


@batched((4,))
def to_matrix(q):
    """R [..., 3, 3]."""
    return rotation_matrix(unit(q))


@batched((3,))
def from_rotvec(phi):
    """q [..., 4] of the rotation by |phi| radians about phi."""
    return unit_quaternion(phi)


@batched((4,))
def to_rotvec(q):
    """The shortest phi [..., 3], its angle in [0, pi]."""
    q = unit(q)
    return rotation_vector(np.where(q[0] < 0, -q, q))


# --8<-- [start:slerp]
@batched((4,), (4,), ())
def slerp(q0, q1, t):
    """From q0 at t = 0 to q1 at t = 1, at constant speed, the short way.

    t [...] may lie outside [0, 1], up to ±1e6. Source: Shoemake (1985).
    """
    if np.abs(t).max(initial=0) > 1e6:
        raise ValueError("slerp: t must lie between -1e6 and 1e6")
    q0, q1 = unit(q0), unit(q1)
    q1 = np.where((q0 * q1).sum(0) < 0, -q1, q1)
    angle = 2 * np.arctan2(norm(q1 - q0), norm(q1 + q0))  # between the two
    safe = np.where(angle > 0, np.sin(angle), 1)
    w = np.array([1 - t, t])
    w = np.where(angle > 0, np.sin(w * angle) / safe, w)
    return unit(w[0] * q0 + w[1] * q1)


# --8<-- [end:slerp]


if __name__ == "__main__":
    quarter = from_rotvec([0, 0, np.pi / 2])
    print("a quarter turn about z:", quarter.round(4))
    print("x becomes", rotate(quarter, [1, 0, 0]).round(4))
