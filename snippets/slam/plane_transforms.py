"""What rigid, similarity, affine and projective transforms keep."""

import numpy as np

# --8<-- [start:matrices]
A = np.radians(20)
R = np.array([[np.cos(A), -np.sin(A)], [np.sin(A), np.cos(A)]])


def plane(M: np.ndarray, bottom: tuple = (0, 0, 1)) -> np.ndarray:
    """H [3, 3] = [M t; bottom], with one t for all of them."""
    return np.vstack([np.column_stack([M, [0.3, 0.1]]), bottom])


TRANSFORMS = {
    "rigid": plane(R),
    "similarity": plane(0.7 * R),
    "affine": plane(R @ [[1.2, 0.5], [0, 0.8]]),
    "projective": plane(R, bottom=(0.5, 0.2, 1)),
}


def move(H: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Points [n, 2] through H [3, 3]: append 1, multiply, divide."""
    q = np.column_stack([p, np.ones(len(p))]) @ H.T
    return q[:, :2] / q[:, 2:]


# --8<-- [end:matrices]
SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
ROW = np.array([[0, 0], [1, 1], [2, 2], [4, 4]]) / 4  # on one line


# --8<-- [start:measure]
def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between two vectors [2]."""
    return np.degrees(np.arctan2(abs(a[0] * b[1] - a[1] * b[0]), a @ b))


def measure(H: np.ndarray) -> list[float]:
    """What becomes of a unit square and of four points on a line.

    A side's length; the angle at its corner in degrees; the angle between
    two opposite sides; the middle one of three evenly spaced points, as a
    fraction of the way; the cross ratio (AC · BD) / (BC · AD).
    """
    a, b, c, d = move(H, SQUARE)
    row = move(H, ROW)
    far = lambda i, j: np.linalg.norm(row[j] - row[i])
    return [
        np.linalg.norm(b - a),
        angle(b - a, d - a),
        angle(b - a, c - d),
        far(0, 1) / far(0, 2),
        far(0, 2) * far(1, 3) / (far(1, 2) * far(0, 3)),
    ]


# --8<-- [end:measure]


if __name__ == "__main__":
    print("            side  corner  opposite  middle  cross ratio")
    for name, H in TRANSFORMS.items():
        side, corner, opposite, middle, cross = measure(H)
        print(f"{name:11} {side:.2f}  {corner:5.1f}°", end="")
        print(f"    {opposite:4.1f}°    {middle:.2f}         {cross:.3f}")
