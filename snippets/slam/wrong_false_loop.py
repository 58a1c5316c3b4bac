"""One false loop closure, least squares: the whole square folds."""

import numpy as np

from pose_graph import optimize
from square_walk import add_edge, position_error, square_walk


# --8<-- [start:main]
def main():
    graph, truth = square_walk()
    # two corners look alike, 21 m apart: "pose 45 is where pose 15 was"
    graph = add_edge(graph, 15, 45, np.eye(4))
    error = position_error(optimize(graph), truth)
    print(f"position error {error:.2f} m (RMS)")
    # --8<-- [end:main]


if __name__ == "__main__":
    main()
