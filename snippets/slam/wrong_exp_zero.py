"""Wrong: Rodrigues' formula and J_l as printed, which divide by θ."""

import numpy as np


# --8<-- [start:exp]
def rodrigues(phi: np.ndarray) -> np.ndarray:
    """R [3, 3] of phi [3], by its unit axis."""
    theta = np.linalg.norm(phi)
    x, y, z = phi / theta
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K


def b(theta: float) -> float:
    """(1 - cos θ) / θ², a coefficient of J_l: 1/2 for a small angle."""
    return (1 - np.cos(theta)) / theta**2


# --8<-- [end:exp]


if __name__ == "__main__":
    for theta in (1, 1e-3, 1e-9):
        print(f"θ = {theta:g}: (1 - cos θ) / θ² = {b(theta):.6f}")
    print(rodrigues(np.zeros(3)))
