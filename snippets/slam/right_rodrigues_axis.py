"""Divide the rotation vector by its length first, or use so3.exp."""

import numpy as np

from rodrigues import rodrigues
from so3 import exp

# --8<-- [start:main]
phi = 2 * np.array([1, 2, 2]) / 3  # 2 rad about (1, 2, 2) / 3
theta = np.linalg.norm(phi)
R = rodrigues(phi / theta, theta)

print(f"det R = {np.linalg.det(R):.3f}")
print(f"a unit vector gets length {np.linalg.norm(R[:, 0]):.3f}")
print("the same as so3.exp(phi):", np.abs(R - exp(phi)).max() < 1e-15)
# --8<-- [end:main]
