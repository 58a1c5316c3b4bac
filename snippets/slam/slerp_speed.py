"""How fast it turns: slerp, and lerp with its length mended (nlerp)."""

import numpy as np

from quaternion import conjugate, from_rotvec, multiply, slerp, to_rotvec


# --8<-- [start:speed]
def nlerp(q0: np.ndarray, q1: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The unit quaternions [n, 4] on the straight line at t [n]."""
    q = np.outer(1 - t, q0) + np.outer(t, q1)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def speed(path: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Degrees turned per unit of t between quaternions [n, 4]: [n - 1]."""
    step = to_rotvec(multiply(path[1:], conjugate(path[:-1])))
    return np.degrees(np.linalg.norm(step, axis=1)) / np.diff(t)


# --8<-- [end:speed]


# --8<-- [start:main]
def main() -> None:
    q0, q1 = from_rotvec([[0, 0, 0], [0, 0, np.radians(160)]])
    t = np.linspace(0, 1, 1001)
    for name, path in (
        ("slerp", slerp(q0, q1, t)),
        ("nlerp", nlerp(q0, q1, t)),
    ):
        v = speed(path, t)
        print(
            f"{name}: {v[0]:.1f}°, {v[500]:.1f}°, {v[-1]:.1f}° per unit of t"
        )


# --8<-- [end:main]


if __name__ == "__main__":
    main()
