"""Halfway along the shortest turn, which is what slerp gives too."""

import numpy as np

from euler import to_matrix
from so3 import exp, log

# --8<-- [start:main]
# A camera tilts down past the vertical: pitch 70° to 110°.
start = to_matrix(*np.radians([20, 70, 10]))
end = to_matrix(*np.radians([20, 110, 10]))
turn = log(start.T @ end)
halfway = start @ exp(turn / 2)

print(f"the whole turn: {np.degrees(np.linalg.norm(turn)):.1f}°")
for name, R in (("start", start), ("end", end)):
    angle = np.degrees(np.linalg.norm(log(R.T @ halfway)))
    print(f"{angle:.1f}° from the {name}")
# --8<-- [end:main]
