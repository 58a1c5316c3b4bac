"""A 10 m cloud, far from the origin: what is left of its digits."""

import numpy as np

from registration import umeyama


# --8<-- [start:main]
def running_sums(src, dst):
    """The covariance from running sums: right on paper only."""
    n, x, y = len(src), src.mean(0), dst.mean(0)
    total = sum(np.outer(*pair) for pair in zip(dst, src, strict=True))
    U, _, Vt = np.linalg.svd(total - n * np.outer(y, x))
    U[:, 2] *= np.sign(np.linalg.det(U @ Vt))
    return 1, U @ Vt, y - U @ Vt @ x


def worst(method, offset, dtype=np.float64):
    """Fit a turned cloud, both at `offset`; return the error in metres."""
    cloud = np.random.default_rng(0).uniform(-5, 5, (100, 3))
    src = cloud + offset
    dst = cloud @ [[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]] + offset
    _, R, t = method(src.astype(dtype), dst.astype(dtype))
    return np.abs(dst - src @ R.astype(float).T - t).max()


if __name__ == "__main__":
    for name, method, dtype in (
        ("centred", umeyama, np.float64),
        ("running sums", running_sums, np.float64),
        ("float32 input", umeyama, np.float32),
    ):
        errors = [worst(method, x, dtype) for x in (0, 1e3, 1e6)]
        powers = [f"1e{np.ceil(np.log10(e)):+.0f}" for e in errors]
        print(f"{name:13} error below", *powers, "m")
# --8<-- [end:main]
