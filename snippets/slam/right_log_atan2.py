"""Right: the logarithm by way of the quaternion's largest component."""

import numpy as np

from so3 import exp, log

# --8<-- [start:main]
if __name__ == "__main__":
    for angle in (0, 1e-8, 1, np.pi - 1e-8):
        phi = log(exp([0, 0, angle]))
        print(f"{angle:.9g} about z: {phi[2]:.9g}")
# --8<-- [end:main]
