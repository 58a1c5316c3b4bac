"""Rodrigues' formula, which takes a unit axis and an angle."""

import numpy as np


# --8<-- [start:rodrigues]
def rodrigues(n: np.ndarray, theta: float) -> np.ndarray:
    """R [3, 3] of a turn by theta radians about the unit axis n [3].

    ValueError if n is not of length 1. Source: Rodrigues (1840).
    """
    n = np.asarray(n, float)
    if n.shape != (3,) or not abs(n @ n - 1) < 1e-12:
        raise ValueError(f"expected a unit axis [3], got {n}")
    x, y, z = n
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])  # n^
    c, s = np.cos(theta), np.sin(theta)
    return c * np.eye(3) + (1 - c) * np.outer(n, n) + s * cross


# --8<-- [end:rodrigues]


if __name__ == "__main__":
    R = rodrigues([0, 0, 1], np.pi / 2)
    print("a quarter turn about z takes x to", (R @ [1, 0, 0]).round(12))
