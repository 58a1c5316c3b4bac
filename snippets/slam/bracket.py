"""The Lie bracket: what is left when the order of two motions changes."""

import numpy as np

from se3 import exp, hat, inverse, log, vee


# --8<-- [start:bracket]
def bracket(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[a, b] [..., 6], the vee of a^ b^ - b^ a^; a, b are [rho, phi]."""
    A, B = hat(a), hat(b)
    return vee(A @ B - B @ A)


def commutator(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The motion [6] left by: undo b, undo a, then do b, do a."""
    A, B = exp(a), exp(b)
    return log(A @ B @ inverse(A) @ inverse(B))


# --8<-- [end:bracket]


# --8<-- [start:main]
if __name__ == "__main__":
    a = np.array([0.3, 0.1, -0.2, 0.5, -0.4, 0.1])
    b = np.array([-0.1, 0.4, 0.2, 0.2, 0.3, -0.6])
    c = np.array([0.5, -0.3, 0.1, -0.3, 0.2, 0.4])
    print("[a, b]   ", bracket(a, b).round(4))
    print("φ₁ × φ₂           ", np.cross(a[3:], b[3:]).round(4))
    cycle = [(a, b, c), (c, a, b), (b, c, a)]
    jacobi = sum(bracket(x, bracket(y, z)) for x, y, z in cycle)
    print("Jacobi sum below 1e-15:", np.abs(jacobi).max() < 1e-15)
    for s in (1e-1, 1e-2, 1e-3):
        rest = commutator(s * a, s * b) / s**2 - bracket(a, b)
        print(f"size {s:g}: off by {np.linalg.norm(rest):.1e}")
# --8<-- [end:main]
