"""The textbook formula of slerp, without a look at the sign of q1."""

import numpy as np

from quaternion import conjugate, from_rotvec, multiply, to_rotvec

# --8<-- [start:main]
q0 = from_rotvec([0, 0, np.radians(10)])
q1 = -from_rotvec([0, 0, np.radians(30)])  # the same rotation as +

angle = np.arccos(q0 @ q1)
w0, w1 = np.sin([0.75 * angle, 0.25 * angle]) / np.sin(angle)
q = w0 * q0 + w1 * q1  # a quarter of the way from 10° to 30°

turned = np.degrees(to_rotvec(multiply(q, conjugate(q0)))[2])
print(f"at t = 0.25 it has turned by {turned:.0f}°, not 5°")
# --8<-- [end:main]
