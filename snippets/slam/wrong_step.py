"""Wrong: the matrix moves in a straight line and leaves SO(3)."""

import numpy as np

from lie_step import fit
from so3 import hat


# --8<-- [start:step]
def add(R: np.ndarray, d: np.ndarray) -> np.ndarray:
    """exp(d) R to first order: not a rotation any more."""
    return R + hat(d) @ R


# --8<-- [end:step]


if __name__ == "__main__":
    print(f"det R = {np.linalg.det(fit(add)):.6f}")
