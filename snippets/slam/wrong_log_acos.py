"""Wrong: the textbook logarithm, by the arc cosine of the trace."""

import numpy as np

from so3 import exp, vee


# --8<-- [start:log]
def log_acos(R: np.ndarray) -> np.ndarray:
    """phi [3] of R [3, 3]: θ = acos((tr R - 1) / 2), axis (R - Rᵀ)∨."""
    theta = np.arccos((np.trace(R) - 1) / 2)
    return theta / (2 * np.sin(theta)) * vee(R - R.T)


# --8<-- [end:log]


# --8<-- [start:main]
if __name__ == "__main__":
    for angle in (0, 1e-8, 1, np.pi - 1e-8):
        phi = log_acos(exp([0, 0, angle]))
        print(f"{angle:.9g} about z: {phi[2]:.9g}")
# --8<-- [end:main]
