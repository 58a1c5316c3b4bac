"""Wrong: the SVD without the sign; a flat board comes out mirrored."""

import numpy as np

from board import boards, report


# --8<-- [start:main]
def kabsch_without_sign(src, dst):
    a, b = src - src.mean(0), dst - dst.mean(0)
    U, _, Vt = np.linalg.svd(b.T @ a)
    R = U @ Vt  # orthogonal, but det may be -1
    return R, dst.mean(0) - R @ src.mean(0)


if __name__ == "__main__":
    report(*kabsch_without_sign(*boards()))
# --8<-- [end:main]
