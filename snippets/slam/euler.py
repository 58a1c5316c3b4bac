"""Yaw, pitch, roll: R = Rz(yaw) Ry(pitch) Rx(roll), angles in radians.

As turns about fixed axes: roll about x first, then pitch about y, then yaw
about z. float32 in gives float32 out; ValueError for a wrong trailing shape
and for numbers that are not finite.
"""

import numpy as np

from batch import batched


# --8<-- [start:to_matrix]
@batched((), (), ())
def to_matrix(yaw, pitch, roll):
    """R [..., 3, 3] of three angles [...]."""
    (cy, sy), (cp, sp), (cr, sr) = (
        (np.cos(angle), np.sin(angle)) for angle in (yaw, pitch, roll)
    )
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


# --8<-- [end:to_matrix]


# --8<-- [start:from_matrix]
@batched((3, 3))
def angles(R):
    """yaw, pitch, roll as one array [..., 3]."""
    cp = np.hypot(R[0, 0], R[1, 0])
    yaw = np.arctan2(R[1, 0], R[0, 0])
    pitch = np.arctan2(-R[2, 0], cp)
    # With Rz(yaw) undone, roll is left, also at the lock, where yaw is free.
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return np.array([yaw, pitch, roll])


def from_matrix(R):
    """yaw, pitch, roll [...] each; pitch in [-pi/2, pi/2].

    At a pitch of ±pi/2 only yaw ∓ roll is determined: to_matrix gives R back
    all the same.
    """
    return tuple(np.moveaxis(angles(R), -1, 0))


# --8<-- [end:from_matrix]


if __name__ == "__main__":
    R = to_matrix(*np.radians([30, 20, 10]))
    print("yaw, pitch, roll:", np.degrees(from_matrix(R)).round(6))
    locked = to_matrix(*np.radians([30, 90, 10]))
    print("at the lock:     ", np.degrees(from_matrix(locked)).round(6))
