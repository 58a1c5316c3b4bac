"""60 m of odometry drift, and what one loop closure mends."""

import numpy as np

from pose_graph import optimize
from square_walk import position_error, square_walk


# --8<-- [start:main]
def main():
    graph, truth = square_walk()
    closed = optimize(graph)
    for name, g in (("odometry", graph), ("loop closed", closed)):
        last = np.linalg.norm(g.poses[-1, :3, 3] - truth[-1, :3, 3])
        print(
            f"{name:12} last pose off by {last:.2f} m, "
            f"all of them by {position_error(g, truth):.2f} m (RMS)"
        )
    # --8<-- [end:main]


if __name__ == "__main__":
    main()
