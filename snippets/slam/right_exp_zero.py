"""Right: 1 - cos θ = 2 sin²(θ/2), and the limit where θ is zero."""

import numpy as np

from so3 import exp


# --8<-- [start:exp]
def b(theta: float) -> float:
    """(1 - cos θ) / θ², without a difference and without 0/0."""
    half = np.sin(theta / 2) / theta if theta else 0.5
    return 2 * half**2


if __name__ == "__main__":
    for theta in (1, 1e-3, 1e-9):
        print(f"θ = {theta:g}: (1 - cos θ) / θ² = {b(theta):.6f}")
    print(exp(np.zeros(3)))
# --8<-- [end:exp]
