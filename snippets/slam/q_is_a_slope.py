"""Q of SE(3) is the slope along rho of SO(3)'s J_l."""

from math import factorial

import numpy as np

from se3 import hat, left_jacobian


# --8<-- [start:slope]
def slope(rho: np.ndarray, phi: np.ndarray, h: float = 1e-4) -> np.ndarray:
    """d/dε J_l(phi + ε rho) [3, 3] at ε = 0, by central differences."""
    end = np.concatenate([0 * rho, phi + h * rho])
    start = np.concatenate([0 * rho, phi - h * rho])
    return (left_jacobian(end) - left_jacobian(start))[:3, :3] / (2 * h)


def double_series(rho: np.ndarray, phi: np.ndarray, n: int = 30) -> np.ndarray:
    """Σ φ^ⁿ ρ^ φ^ᵐ / (n + m + 2)!, the definition of Q [3, 3]."""
    S, F = (hat([0, 0, 0, *v])[:3, :3] for v in (rho, phi))
    powers = [np.linalg.matrix_power(F, k) for k in range(n)]
    return sum(
        powers[i] @ S @ powers[j] / factorial(i + j + 2)
        for i in range(n)
        for j in range(n)
    )


# --8<-- [end:slope]


# --8<-- [start:main]
if __name__ == "__main__":
    rho, phi = np.array([1, 2, 3]), np.array([0.3, -0.2, 0.5])
    J = left_jacobian(np.concatenate([rho, phi]))
    for name, Q in [
        ("se3.py: ", J[:3, 3:]),
        ("slope:  ", slope(rho, phi)),
        ("series: ", double_series(rho, phi)),
    ]:
        print(name, Q.ravel()[:5].round(6))
# --8<-- [end:main]
