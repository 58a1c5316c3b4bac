"""Series for what cancels in the closed forms of the coefficients."""

from math import factorial

import numpy as np
from numpy.polynomial.polynomial import polyval

NEAR = 3.0  # radians: below it a series is more accurate than the closed form
# Coefficients of θ⁰, θ², θ⁴, … of c, b' / θ, c' / θ, and (b' / θ)' / θ.
C = [(-1) ** k / factorial(2 * k + 3) for k in range(15)]
DB = [(-1) ** k * 2 * k / factorial(2 * k + 2) for k in range(1, 16)]
DC = [(-1) ** k * 2 * k / factorial(2 * k + 3) for k in range(1, 16)]
DDB = [
    (-1) ** k * 2 * k * (2 * k - 2) / factorial(2 * k + 2)
    for k in range(2, 17)
]


def series_or(theta, series, closed):
    """A series in θ² below NEAR, closed(θ) above it, as far as needed."""
    near = np.minimum(theta, NEAR) ** 2
    top = near.max(initial=0)
    terms = [c for k, c in enumerate(series) if abs(c) * top**k > 1e-18]
    value = polyval(near, terms)
    if top < NEAR**2:
        return value
    return np.where(theta < NEAR, value, closed(np.maximum(theta, NEAR)))
