"""SE(3): rigid motions and their Lie algebra, on any batch of them.

xi = [rho, phi] [..., 6], translation part first; T [..., 4, 4] = [R t; 0 1].
float32 in gives float32 out; ValueError for a wrong trailing shape and for
numbers that are not finite. Source: Barfoot, State Estimation for Robotics.
"""

import numpy as np

from batch import batched
from jacobian_formulas import (
    blocks,
    inverse_coefficients,
    inverse_slopes,
    left,
    left_slopes,
    times,
)
from rotation_formulas import (
    rotation_matrix,
    rotation_vector,
    scaled_quaternion,
    skew,
    unit_quaternion,
    untwisted,
)


# --8<-- [start:exp_log]
@batched((6,))
def hat(xi):
    """xi^ [..., 4, 4] = [phi^ rho; 0 0]."""
    M = np.zeros((4, 4, xi.shape[1]))
    M[:3, :3], M[:3, 3] = skew(xi[3:]), xi[:3]
    return M


@batched((4, 4))
def vee(M):
    """The xi [..., 6] of M = xi^."""
    return np.array([*M[:3, 3], M[2, 1], M[0, 2], M[1, 0]])


@batched((6,))
def exp(xi):
    """T [..., 4, 4], with the translation J_l(phi) rho, not rho."""
    rho, phi = xi[:3], xi[3:]
    T = np.zeros((4, 4, xi.shape[1]))
    T[:3, :3], T[3, 3] = rotation_matrix(unit_quaternion(phi)), 1
    T[:3, 3] = times(phi, rho, left)
    return T


@batched((4, 4))
def log(T):
    """xi [..., 6] with exp(xi) = T, its angle |phi| in [0, pi]."""
    q = scaled_quaternion(T[:3, :3])
    return np.concatenate([untwisted(q, T[:3, 3]), rotation_vector(q)])


# --8<-- [end:exp_log]


# --8<-- [start:group]
@batched((4, 4))
def inverse(T):
    """T⁻¹ = [Rᵀ -Rᵀt; 0 1]."""
    out = np.zeros_like(T)
    out[:3, :3], out[3, 3] = T[:3, :3].swapaxes(0, 1), 1
    out[:3, 3] = -(out[:3, :3] * T[:3, 3]).sum(1)
    return out


@batched((4, 4))
def adjoint(T):
    """Ad [..., 6, 6] = [R t^R; 0 R]: T exp(xi) T⁻¹ = exp(Ad xi)."""
    R, Ad = T[:3, :3], np.zeros((6, 6, T.shape[2]))
    Ad[:3, :3] = Ad[3:, 3:] = R
    Ad[:3, 3:] = np.einsum("ijn,jkn->ikn", skew(T[:3, 3]), R)
    return Ad


@batched((4, 4), (3,))
def act(T, p):
    """The moved point R p + t [..., 3]."""
    return (T[:3, :3] * p).sum(1) + T[:3, 3]


@batched((4, 4), (3,))
def odot(T, p):
    """(T p)⊙ [..., 4, 6] = [I -(R p + t)^; 0 0]: exp(d) T p ≈ T p + ⊙ d."""
    out = np.zeros((4, 6, p.shape[1]))
    out[:3, :3] = np.eye(3)[:, :, None]
    out[:3, 3:] = -skew((T[:3, :3] * p).sum(1) + T[:3, 3])
    return out


# --8<-- [end:group]


# --8<-- [start:jacobians]
@batched((6,))
def left_jacobian(xi):
    """[J_l Q; 0 J_l] [..., 6, 6]: exp(xi + d) ≈ exp(J d) exp(xi)."""
    return blocks(xi, left, left_slopes)


@batched((6,))
def left_jacobian_inv(xi):
    """Its inverse; there is none at |phi| = 2 pi, 4 pi, …"""
    return blocks(xi, inverse_coefficients, inverse_slopes)


# --8<-- [end:jacobians]


if __name__ == "__main__":
    T = exp([1, 2, 3, 0.3, -0.2, 0.5])
    print(T.round(4), log(T).round(12), sep="\n")
