"""t of the extrinsic matrix T_cw, plotted as the camera's position."""

import numpy as np

from frames import pose

# --8<-- [start:main]
a = np.radians(150)
c, s = np.cos(a), np.sin(a)
R_wc, centre = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [4, 2, 0]
T_cw = np.linalg.inv(pose(R_wc, centre))

place = T_cw[:3, 3]  # the world's origin, seen from the camera
print("place:", place.round(2) + 0)
print(f"off by {np.linalg.norm(place - centre):.2f} m")
# --8<-- [end:main]
