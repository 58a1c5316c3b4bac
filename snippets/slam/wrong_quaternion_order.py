"""x, y, z, w from scipy, given to code that expects w, x, y, z."""

import numpy as np
from scipy.spatial.transform import Rotation  # pip install scipy

from quaternion import rotate, to_rotvec

# --8<-- [start:main]
q = Rotation.from_euler("z", 90, degrees=True).as_quat()

print("q =", q.round(4))
print("x becomes", rotate(q, [1, 0, 0]).round(4) + 0)
angle = np.degrees(np.linalg.norm(to_rotvec(q)))
print(f"it turns by {angle:.0f}°, not 90°, and nothing fails")
# --8<-- [end:main]
