"""SO(3): rotations and their Lie algebra, on any batch of them.

phi [..., 3] is a rotation vector: the unit axis times the angle in radians.
R [..., 3, 3] acts on columns, p' = R p. float32 in gives float32 out; every
function raises ValueError for a wrong trailing shape and for numbers that are
not finite, and leaves its arguments as they are. Source: Barfoot, State
Estimation for Robotics, chapter "Matrix Lie Groups".
"""

import numpy as np

from batch import batched
from jacobian_formulas import (
    at,
    combine,
    inverse_coefficients,
    inverse_slopes,
    left,
    left_slopes,
    parts,
)
from rotation_formulas import (
    rotation_matrix,
    rotation_vector,
    scaled_quaternion,
    skew,
    unit_quaternion,
)


# --8<-- [start:hat]
@batched((3,))
def hat(phi):
    """phi^ [..., 3, 3], with phi^ p = phi × p."""
    return skew(phi)


@batched((3, 3))
def vee(M):
    """The phi [..., 3] of a skew-symmetric M = phi^."""
    return np.array([M[2, 1], M[0, 2], M[1, 0]])


# --8<-- [end:hat]


# --8<-- [start:exp_log]
@batched((3,))
def exp(phi):
    """R [..., 3, 3], the rotation by |phi| about phi (Rodrigues)."""
    return rotation_matrix(unit_quaternion(phi))


@batched((3, 3))
def log(R):
    """phi [..., 3] with exp(phi) = R, its angle in [0, pi].

    R must be a rotation: see project. At an angle of pi, where phi and -phi
    are the same rotation, either may come.
    """
    return rotation_vector(scaled_quaternion(R))


# --8<-- [end:exp_log]


# --8<-- [start:jacobians]
@batched((3,))
def left_jacobian(phi):
    """J_l [..., 3, 3]: exp(phi + d) ≈ exp(J_l d) exp(phi)."""
    return combine(at(phi, left, left_slopes)[0], parts(phi))


@batched((3,))
def left_jacobian_inv(phi):
    """The inverse of J_l, which has none at |phi| = 2 pi, 4 pi, …"""
    values, _ = at(phi, inverse_coefficients, inverse_slopes)
    return combine(values, parts(phi))


def right_jacobian(phi):
    """J_r [..., 3, 3]: exp(phi + d) ≈ exp(phi) exp(J_r d)."""
    return left_jacobian(phi).swapaxes(-1, -2)  # J_r = J_l(-phi) = J_lᵀ


def right_jacobian_inv(phi):
    """The inverse of J_r, which has none at |phi| = 2 pi, 4 pi, …"""
    return left_jacobian_inv(phi).swapaxes(-1, -2)


# --8<-- [end:jacobians]


# --8<-- [start:project]
@batched((3, 3))
def project(M):
    """The rotation nearest to M [..., 3, 3] in the Frobenius norm.

    Orthogonal Procrustes with det = +1: Umeyama (1991), lemma.
    """
    U, _, Vt = np.linalg.svd(np.moveaxis(M, -1, 0))
    U[..., -1] *= np.linalg.det(U @ Vt)[:, None].round()
    return np.moveaxis(U @ Vt, 0, -1)


# --8<-- [end:project]


if __name__ == "__main__":
    phi = np.array([0.3, -0.2, 0.5])
    R = exp(phi)
    print("R =", R.round(4), sep="\n")
    print("log(R) =", log(R).round(12))
    print("a million at once:", exp(np.tile(phi, (1_000_000, 1))).shape)
