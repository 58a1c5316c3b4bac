"""The camera's position is -Rᵀ t of T_cw."""

import numpy as np

from frames import camera_centre, pose

# --8<-- [start:main]
a = np.radians(150)
c, s = np.cos(a), np.sin(a)
R_wc, centre = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [4, 2, 0]
T_cw = np.linalg.inv(pose(R_wc, centre))

place = camera_centre(T_cw)
print("place:", place.round(2) + 0)
print(f"off by {np.linalg.norm(place - centre):.2f} m")
# --8<-- [end:main]
