"""Three derivatives of R p by R, each checked by central differences."""

import numpy as np

from numeric_jacobian import numeric_jacobian
from so3 import exp, hat, left_jacobian

PHI = np.array([0.6, -0.4, 0.9])
P = np.array([1.0, 2.0, 3.0])


# --8<-- [start:three]
def derivative_model(phi, p):
    """d exp(phi + d) p / dd at d = 0: -(R p)^ J_l(phi) [3, 3]."""
    return -hat(exp(phi) @ p) @ left_jacobian(phi)


def left_perturbation(phi, p):
    """d exp(d) R p / dd at d = 0: -(R p)^."""
    return -hat(exp(phi) @ p)


def right_perturbation(phi, p):
    """d R exp(d) p / dd at d = 0: -R p^."""
    return -exp(phi) @ hat(p)


# --8<-- [end:three]


# --8<-- [start:check]
MOVED = {
    derivative_model: lambda d: exp(PHI + d) @ P,
    left_perturbation: lambda d: exp(d) @ exp(PHI) @ P,
    right_perturbation: lambda d: exp(PHI) @ exp(d) @ P,
}

if __name__ == "__main__":
    for formula, moved in MOVED.items():
        J = formula(PHI, P)
        off = np.abs(J - numeric_jacobian(moved, 3)).max()
        row = " ".join(f"{x:7.4f}" for x in J[0] + 0.0)
        print(f"{formula.__name__:18} first row {row}  ok: {off < 1e-9}")
# --8<-- [end:check]
