"""Ask scipy for w first."""

import numpy as np
from scipy.spatial.transform import Rotation  # pip install scipy

from quaternion import rotate, to_rotvec

# --8<-- [start:main]
turn = Rotation.from_euler("z", 90, degrees=True)
q = turn.as_quat(scalar_first=True)

print("q =", q.round(4))
print("x becomes", rotate(q, [1, 0, 0]).round(4) + 0)
angle = np.degrees(np.linalg.norm(to_rotvec(q)))
print(f"it turns by {angle:.0f}°")
# --8<-- [end:main]
