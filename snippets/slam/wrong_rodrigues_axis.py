"""The rotation vector theta n put where Rodrigues' formula has n."""

import numpy as np

from so3 import hat

# --8<-- [start:main]
phi = 2 * np.array([1, 2, 2]) / 3  # 2 rad about (1, 2, 2) / 3
theta = np.linalg.norm(phi)
c, s = np.cos(theta), np.sin(theta)
R = c * np.eye(3) + (1 - c) * np.outer(phi, phi) + s * hat(phi)

print(f"det R = {np.linalg.det(R):.3f}")
print(f"a unit vector gets length {np.linalg.norm(R[:, 0]):.3f}")
# --8<-- [end:main]
