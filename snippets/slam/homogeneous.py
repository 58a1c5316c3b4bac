"""Chain poses: neighbouring letters cancel, and directions do not shift."""

import numpy as np

from euler import to_matrix
from frames import pose


# --8<-- [start:chain]
def main() -> None:
    T_wb = pose(to_matrix(np.radians(90), 0, 0), [10, 5, 0])  # body in world
    T_bl = pose(to_matrix(0, np.radians(30), 0), [1, 0, 2])  # lidar on body
    T_wl = T_wb @ T_bl  # w b, b l: the b's cancel

    point = np.array([3, 0, 0, 1])  # 3 m ahead of the lidar
    ray = np.array([1, 0, 0, 0])  # straight ahead: no position, so 0
    print("lidar's origin:", T_wl[:3, 3].round(3))
    print("point:", (T_wl @ point).round(3))
    print("ray:  ", (T_wl @ ray).round(3))


# --8<-- [end:chain]


if __name__ == "__main__":
    main()
