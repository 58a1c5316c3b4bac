"""slerp flips q1 where that is the shorter way."""

import numpy as np

from quaternion import conjugate, from_rotvec, multiply, slerp, to_rotvec

# --8<-- [start:main]
q0 = from_rotvec([0, 0, np.radians(10)])
q1 = -from_rotvec([0, 0, np.radians(30)])  # the same rotation as +

q = slerp(q0, q1, 0.25)

turned = np.degrees(to_rotvec(multiply(q, conjugate(q0)))[2])
print(f"at t = 0.25 it has turned by {turned:.0f}°")
# --8<-- [end:main]
