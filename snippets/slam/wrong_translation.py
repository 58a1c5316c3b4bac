"""Wrong: rho is taken for the translation."""

import numpy as np

from so3 import exp


# --8<-- [start:exp]
def pose(xi: np.ndarray) -> np.ndarray:
    """T [4, 4] of xi = [rho, phi] [6] with t = rho."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = exp(xi[3:]), xi[:3]
    return T


# --8<-- [end:exp]


# --8<-- [start:main]
if __name__ == "__main__":
    xi = np.array([1, 0, 0, 0, 0, np.pi / 2])  # drive on, turn left
    print("once:      ", pose(xi)[:3, 3].round(4))
    half = pose(xi / 2)
    print("two halves:", (half @ half)[:3, 3].round(4))
# --8<-- [end:main]
