"""Where is the camera? What R and t of a pose mean, both ways round.

T_ab takes coordinates in frame b to coordinates in frame a: p_a = T_ab p_b.
"""

import numpy as np

from batch import batched
from euler import to_matrix
from se3 import act, inverse


# --8<-- [start:pose]
@batched((3, 3), (3,))
def pose(R: np.ndarray, t: np.ndarray) -> np.ndarray:
    """T_ab [..., 4, 4] = [R t; 0 1].

    R_ab [..., 3, 3]: its columns are b's axes, in a's coordinates.
    t_ab [..., 3]: b's origin, in a's coordinates.
    """
    T = np.zeros((4, 4, t.shape[1]))
    T[:3, :3], T[:3, 3], T[3, 3] = R, t, 1
    return T


@batched((4, 4))
def camera_centre(T_cw: np.ndarray) -> np.ndarray:
    """-Rᵀ t [..., 3]: the camera's position, in world coordinates."""
    R, t = T_cw[:3, :3], T_cw[:3, 3]
    return -(R * t[:, None]).sum(0)


# --8<-- [end:pose]


if __name__ == "__main__":
    # --8<-- [start:main]
    R_wc = to_matrix(np.radians(150), 0, 0)  # turned left by 150°
    T_wc = pose(R_wc, [4, 2, 0])  # the camera stands at (4, 2, 0)
    T_cw = inverse(T_wc)  # what solvePnP and COLMAP give

    print("a point at (1, -2, 0) in the camera's coordinates is at")
    print("p_w  =", act(T_wc, [1, -2, 0]).round(3), "in the world's")
    print("t_wc =", T_wc[:3, 3].round(3))
    print("t_cw =", T_cw[:3, 3].round(3) + 0)
    print("camera_centre(T_cw) =", camera_centre(T_cw).round(3) + 0)
    # --8<-- [end:main]
