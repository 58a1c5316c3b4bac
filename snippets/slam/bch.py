"""BCH: log(exp(a) exp(b)), its series and its first-order form, measured."""

import numpy as np

from so3 import exp, left_jacobian_inv, log

PHI = np.array([0.6, -0.4, 0.9])
DELTA = np.array([0.3, 0.8, -0.5]) / np.sqrt(0.98)  # of length 1


def product(a, b):
    """log(exp(a^) exp(b^)) as a rotation vector [3]."""
    return log(exp(a) @ exp(b))


# --8<-- [start:series]
def terms(a, b):
    """The BCH series by order; the bracket of so(3) is the cross product."""
    ab = np.cross(a, b)
    return [a + b, ab / 2, (np.cross(a, ab) - np.cross(b, ab)) / 12]


# --8<-- [end:series]


# --8<-- [start:first]
def first_order(phi, delta):
    """log(exp(delta^) exp(phi^)) ≈ phi + J_l⁻¹ delta, for a small delta."""
    return phi + left_jacobian_inv(phi) @ delta


# --8<-- [end:first]


if __name__ == "__main__":
    exact = product(DELTA / 10, PHI / 10)
    for order in (1, 2, 3):
        series = sum(terms(DELTA / 10, PHI / 10)[:order])
        off = np.linalg.norm(exact - series)
        print(f"series to order {order}: off by {off:.1e}")
    print("|delta|   phi + delta   phi + J_l⁻¹ delta")
    for size in (1e-1, 1e-2, 1e-3, 1e-4):
        exact = product(size * DELTA, PHI)
        plain = np.linalg.norm(exact - PHI - size * DELTA)
        first = np.linalg.norm(exact - first_order(PHI, size * DELTA))
        print(f"{size:7.0e}   {plain:11.1e}   {first:17.1e}")
