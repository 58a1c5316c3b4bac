"""A pose by Gauss–Newton, with each of the three derivatives."""

import numpy as np

from numeric_jacobian import numeric_jacobian
from se3 import act, adjoint, exp, inverse, left_jacobian, log, odot

GEN = np.random.default_rng(0)
POINTS = GEN.normal(size=(20, 3))
TRUE = exp([0.5, -1.0, 2.0, 0.4, -0.9, 0.7])
SEEN = act(TRUE, POINTS)
START = exp([0.0, 0.0, 0.0, 0.4, 0.9, -0.3])


# --8<-- [start:models]
# Each returns the Jacobian of T p [N, 3, 6] and the update by a step d [6].
def left_model(T, p):
    return odot(T, p)[:, :3], lambda d: exp(d) @ T


def right_model(T, p):
    return odot(T, p)[:, :3] @ adjoint(T), lambda d: T @ exp(d)


def additive_model(T, p):
    xi = log(T)
    return odot(T, p)[:, :3] @ left_jacobian(xi), lambda d: exp(xi + d)


# --8<-- [end:models]


# --8<-- [start:solve]
def solve(model, T, points, seen, iterations):
    """Every pose on the way to min Σ |T p - q|² [iterations + 1, 4, 4]."""
    path = [T]
    for _ in range(iterations):
        residual = act(T, points) - seen  # [N, 3]
        J, update = model(T, points)
        H = np.einsum("nik,nil->kl", J, J)  # [6, 6]
        gradient = np.einsum("nik,ni->k", J, residual)  # [6]
        T = update(-np.linalg.solve(H, gradient))
        path.append(T)
    return np.stack(path)


# --8<-- [end:solve]


def distances(path):
    """|log(TRUE⁻¹ T)| of each pose."""
    return np.linalg.norm(log(inverse(TRUE) @ path), axis=-1)


# --8<-- [start:check]
def largest_difference(model, T=START):
    """Between a model's Jacobian and central differences of its update."""
    J, update = model(T, POINTS)
    moved = numeric_jacobian(lambda d: act(update(d), POINTS).ravel(), 6)
    return np.abs(J.reshape(-1, 6) - moved).max()


# --8<-- [end:check]


if __name__ == "__main__":
    print(f"{'iteration':15}" + "".join(f"{i:7}" for i in range(6)))
    for model in (left_model, right_model, additive_model):
        path = solve(model, START, POINTS, SEEN, 5)
        errors = "".join(f"{e:7.0e}" for e in distances(path))
        ok = largest_difference(model) < 1e-8
        print(f"{model.__name__:15}{errors}  Jacobian ok: {ok}")
