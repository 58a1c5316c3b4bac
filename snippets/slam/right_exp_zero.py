"""Right: 1 - cos θ = 2 sin²(θ/2), and the limit where θ is zero."""

import numpy as np

from jacobian_formulas import left
from so3 import exp


def b(theta: float) -> float:
    """(1 - cos θ) / θ²."""
    return left(np.array([theta]))[1][0]


if __name__ == "__main__":
    for theta in (1, 1e-3, 1e-9):
        print(f"θ = {theta:g}: (1 - cos θ) / θ² = {b(theta):.6f}")
    print(exp(np.zeros(3)))
