"""SE(3): rigid motions and their Lie algebra, on any batch of them.

xi = [rho, phi] [..., 6], translation part first. T [..., 4, 4] = [R t; 0 1]
acts on points, p' = R p + t. exp(xi) has the translation J_l(phi) rho, not
rho. float32 in gives float32 out; every function raises ValueError for a
wrong trailing shape and for numbers that are not finite, and leaves its
arguments as they are. Source: Barfoot, State Estimation for Robotics, chapter
"Matrix Lie Groups".
"""

import numpy as np

from batch import batched
from jacobian_formulas import (
    derivative,
    inverse_coefficients,
    inverse_slopes,
    left,
    left_slopes,
    matrix,
)
from rotation_formulas import (
    norm,
    rotation_matrix,
    rotation_vector,
    scaled_quaternion,
    skew,
)


# --8<-- [start:hat]
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


# --8<-- [end:hat]


# --8<-- [start:exp_log]
def times(phi, v, even, odd, square):
    """F(phi) v of F = even I + odd phi^ + square phi phiᵀ."""
    x, y, z = phi
    a, b, c = v
    turned = np.array([y * c - z * b, z * a - x * c, x * b - y * a])
    return even * v + odd * turned + square * (phi * v).sum(0) * phi


@batched((6,))
def exp(xi):
    """T [..., 4, 4], the motion of the twist xi during unit time."""
    rho, phi = xi[:3], xi[3:]
    T = np.zeros((4, 4, xi.shape[1]))
    T[:3, :3], T[3, 3] = rotation_matrix(phi), 1
    T[:3, 3] = times(phi, rho, *left(norm(phi)))
    return T


@batched((4, 4))
def log(T):
    """xi [..., 6] with exp(xi) = T, its angle |phi| in [0, pi]."""
    phi = rotation_vector(scaled_quaternion(T[:3, :3]))
    rho = times(phi, T[:3, 3], *inverse_coefficients(norm(phi)))
    return np.concatenate([rho, phi])


# --8<-- [end:exp_log]


# --8<-- [start:group]
@batched((4, 4))
def inverse(T):
    """T⁻¹ = [Rᵀ -Rᵀt; 0 1]."""
    out = np.zeros_like(T)
    out[:3, :3], out[3, 3] = T[:3, :3].swapaxes(0, 1), 1
    out[:3, 3] = -(T[:3, :3] * T[:3, 3][:, None]).sum(0)
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
def blocks(J, Q):
    """[J Q; 0 J]. Q is the derivative of J along rho."""
    out = np.zeros((6, 6, J.shape[2]))
    out[:3, :3] = out[3:, 3:] = J
    out[:3, 3:] = Q
    return out


@batched((6,))
def left_jacobian(xi):
    """[J_l Q; 0 J_l] [..., 6, 6]: exp(xi + d) ≈ exp(J d) exp(xi)."""
    rho, phi = xi[:3], xi[3:]
    theta = norm(phi)
    coefficients = left(theta)
    slopes = left_slopes(theta, *coefficients)
    return blocks(
        matrix(phi, *coefficients),
        derivative(phi, rho, coefficients, slopes),
    )


@batched((6,))
def left_jacobian_inv(xi):
    """Its inverse; singular at |phi| = 2 pi, 4 pi, …"""
    rho, phi = xi[:3], xi[3:]
    theta = norm(phi)
    coefficients = inverse_coefficients(theta)
    slopes = inverse_slopes(theta, coefficients[2])
    return blocks(
        matrix(phi, *coefficients),
        derivative(phi, rho, coefficients, slopes),
    )


# --8<-- [end:jacobians]


if __name__ == "__main__":
    xi = np.array([1.0, 2.0, 3.0, 0.3, -0.2, 0.5])
    T = exp(xi)
    print("T =", T.round(4), sep="\n")
    print("log(T) =", log(T).round(12))
