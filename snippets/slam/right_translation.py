"""Right: the translation is J_l(phi) rho."""

import numpy as np

from se3 import exp

# --8<-- [start:main]
if __name__ == "__main__":
    xi = np.array([1, 0, 0, 0, 0, np.pi / 2])  # drive on, turn left
    print("once:      ", exp(xi)[:3, 3].round(4))
    half = exp(xi / 2)
    print("two halves:", (half @ half)[:3, 3].round(4))
# --8<-- [end:main]
