"""Find a rotation by least squares without ever leaving SO(3)."""

from collections.abc import Callable

import numpy as np

from so3 import exp, hat

P = np.array([[1, 0, 0], [0, 2, 0], [1, 1, 1]])  # three points
Q = P @ exp([0.9, -0.6, 1.2]).T  # the same points, turned


# --8<-- [start:fit]
# --8<-- [start:step]
def turn(R: np.ndarray, d: np.ndarray) -> np.ndarray:
    """R moved by a small rotation vector d [3]: a rotation again."""
    return exp(d) @ R


# --8<-- [end:step]


def fit(update: Callable, steps: int = 6) -> np.ndarray:
    """The R [3, 3] with R p = q for all points, by Gauss-Newton from I."""
    R = np.eye(3)
    for step in range(steps):
        moved = P @ R.T
        J = -hat(moved).reshape(-1, 3)  # exp(d) R p ≈ R p - (R p)^ d
        error = (Q - moved).ravel()
        bent = np.linalg.norm(R.T @ R - np.eye(3))
        print(f"{step}: error {np.linalg.norm(error):.6f}, off {bent:.6f}")
        R = update(R, np.linalg.lstsq(J, error)[0])
    return R


if __name__ == "__main__":
    print(f"det R = {np.linalg.det(fit(turn)):.6f}")
# --8<-- [end:fit]
