"""One product is not a rotation, the sandwich is, and q and -q are one."""

import numpy as np

from quaternion import from_rotvec, inverse, multiply, to_matrix


# --8<-- [start:main]
def main() -> None:
    i, j = np.eye(4, dtype=int)[1:3]  # as vectors: the x and y axes
    print("i j     =", multiply(i, j), " y goes to z?")
    print("i i     =", multiply(i, i), " x goes to -1, which is no vector")
    sandwich = multiply(multiply(i, j), inverse(i))
    print("i j i⁻¹ =", sandwich.round(12) + 0, " y goes to -y: half a turn")

    for degrees in (0, 180, 360, 720):
        q = from_rotvec([0, 0, np.radians(degrees)])
        x = to_matrix(q)[:, 0]
        print(f"{degrees:3}° about z: q = {q.round(12) + 0}", end="")
        print(f", x at {x.round(12) + 0}")


# --8<-- [end:main]


if __name__ == "__main__":
    main()
