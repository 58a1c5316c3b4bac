"""A Jacobian by central differences: the check for every derivative."""

import numpy as np


# --8<-- [start:numeric]
def numeric_jacobian(f, size: int, h: float = 1e-5) -> np.ndarray:
    """df/dd at d = 0 [len(f), size], where f takes d [size].

    Central differences: wrong by O(h²) and, by rounding, about 1e-16 |f| / h.
    """
    steps = h * np.eye(size)
    return np.stack([(f(d) - f(-d)) / (2 * h) for d in steps], axis=-1)


# --8<-- [end:numeric]


if __name__ == "__main__":
    J = numeric_jacobian(lambda d: np.sin(d + 1), 1)
    print("cos(1) to 1e-9:", abs(J[0, 0] - np.cos(1)) < 1e-9)
