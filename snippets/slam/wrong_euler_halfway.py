"""Halfway between two attitudes, as the mean of their Euler angles."""

import numpy as np

from euler import from_matrix, to_matrix
from so3 import log

# --8<-- [start:main]
# A camera tilts down past the vertical: pitch 70° to 110°.
start = to_matrix(*np.radians([20, 70, 10]))
end = to_matrix(*np.radians([20, 110, 10]))
mean = (np.array(from_matrix(start)) + from_matrix(end)) / 2
halfway = to_matrix(*mean)

print("end reads:", np.degrees(from_matrix(end)).round(1))
for name, R in (("start", start), ("end", end)):
    angle = np.degrees(np.linalg.norm(log(R.T @ halfway)))
    print(f"{angle:.1f}° from the {name}")
# --8<-- [end:main]
