"""Kernels and widths against one false loop closure."""

import numpy as np

from pose_graph import cost, optimize
from square_walk import add_edge, position_error, square_walk


# --8<-- [start:main]
def main():
    graph, truth = square_walk()
    graph = add_edge(graph, 15, 45, np.eye(4))
    print("width   huber  cauchy")
    for width in (0.1, 2, 8, 20, 50):
        huber, cauchy = (
            position_error(optimize(graph, robust, width), truth)
            for robust in ("huber", "cauchy")
        )
        print(f"{width:5} {huber:5.1f} m {cauchy:5.1f} m")
    # --8<-- [end:main]
    folded = optimize(graph, "huber")
    kept = optimize(graph, "cauchy")
    print(
        f"Huber's cost: folded {cost(folded, 'huber'):.0f}, "
        f"false edge left unfulfilled {cost(kept, 'huber'):.0f}"
    )


if __name__ == "__main__":
    main()
