"""Gimbal lock: yaw and roll come to turn about one line."""

import numpy as np

from euler import to_matrix


# --8<-- [start:axes]
def turning_axes(yaw: float, pitch: float) -> np.ndarray:
    """Unit axes [3, 3], in world coordinates, angles in radians.

    Column k is the line about which the body turns when the k-th of yaw,
    pitch, roll alone changes.
    """
    about_yaw = [0, 0, 1]
    about_pitch = to_matrix(yaw, 0, 0)[:, 1]
    about_roll = to_matrix(yaw, pitch, 0)[:, 0]
    return np.column_stack([about_yaw, about_pitch, about_roll])


# --8<-- [end:axes]


# --8<-- [start:main]
def main() -> None:
    for pitch in (0, 60, 89, 90):
        axes = turning_axes(np.radians(30), np.radians(pitch))
        apart = np.degrees(np.arcsin(abs(np.linalg.det(axes))))
        print(f"pitch {pitch:2}°: the lines are {apart:2.0f}° apart", end="; ")
        if np.linalg.matrix_rank(axes) == 3:
            ahead = [np.cos(np.radians(30)), np.sin(np.radians(30)), 0]
            rates = np.linalg.solve(axes, ahead)  # a turn about ahead
            print(f"1°/s sideways takes {rates[2]:.1f}°/s of roll")
        else:
            print("sideways is lost (rank 2)")

    locked = to_matrix(*np.radians([50, 90, 20]))
    other = to_matrix(*np.radians([20, 90, -10]))
    print("50, 90, 20 and 20, 90, -10 are the same attitude:", end=" ")
    print(np.allclose(locked, other, rtol=0, atol=1e-15))


# --8<-- [end:main]


if __name__ == "__main__":
    main()
