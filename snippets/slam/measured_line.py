"""A line measured with noise: its turn about itself is noise too."""

import numpy as np

from registration import umeyama


# --8<-- [start:ratio]
def flatness(src, dst):
    """Return d2 / d1 of H, near 0 if src or dst [N, 3] is a line.

    About (thickness / length)**2, both standard deviations.
    """
    H = (dst - dst.mean(0)).T @ (src - src.mean(0))
    d = np.linalg.svd(H, compute_uv=False)
    return d[1] / d[0]


# --8<-- [end:ratio]


def rods(thickness, seed=0):
    """Return src and dst [30, 3]: one 10 m rod, twice, with 2 mm noise."""
    rng = np.random.default_rng(seed)
    rod = rng.uniform(-0.5, 0.5, (30, 3)) * [10, thickness, thickness]
    noise = rng.normal(scale=0.002, size=(2, 30, 3))
    return rod + noise[0], rod + noise[1]


if __name__ == "__main__":
    for name, thickness in ("line", 0), ("20 cm", 0.2):
        src, dst = rods(thickness)
        _, R, _ = umeyama(src, dst)  # without noise R = I
        turn = np.degrees(np.arccos((np.trace(R) - 1) / 2))
        noise = (0.002 / src[:, 0].std()) ** 2
        print(
            f"{name:5} d2/d1 {flatness(src, dst):.1e}, noise {noise:.1e}: "
            f"off by {turn:.1f} degrees"
        )
