"""A loop closure written down the wrong way round."""

import numpy as np

from pose_graph import optimize
from square_walk import add_edge, position_error, square_walk


# --8<-- [start:main]
def main():
    graph, truth = square_walk()
    # seen from pose 58: 2 m ahead, 2 m left, turned 90°
    seen = np.linalg.inv(truth[58]) @ truth[2]
    graph = add_edge(graph, 2, 58, seen)
    error = position_error(optimize(graph), truth)
    print(f"position error {error:.2f} m (RMS)")
    # --8<-- [end:main]


if __name__ == "__main__":
    main()
