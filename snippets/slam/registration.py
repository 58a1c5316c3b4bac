"""Register two point sets: umeyama if the pairs are known, icp if not.

Both give the transform that takes src to dst, dst = s R src + t. Points are
rows, [..., N, 3]. Works in float64; two float32 inputs give float32.
"""

import numpy as np
from numpy.typing import ArrayLike

from point_sets import (
    cast,
    centre,
    check_options,
    check_points,
    check_start,
    least_turn,
    nearest,
)


# --8<-- [start:umeyama]
def umeyama(
    src: ArrayLike, dst: ArrayLike, with_scale: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return s [...], R [..., 3, 3], t [..., 3]; dst[i] belongs to src[i].

    Minimises sum |dst - (s R src + t)|^2 with det R = +1 (Umeyama 1991,
    eqs. 40-43); s = 1 unless with_scale. On a line R is not unique: the
    smallest turn is returned. ValueError: shapes, non-finite numbers, a
    scale asked of points that coincide, a result that overflows.
    """
    a, b, dtype = check_points(src, dst)
    if a.shape[-2] != b.shape[-2]:
        raise ValueError(f"{a.shape[-2]} src points, {b.shape[-2]} in dst")
    (a, mean_a, ka), (b, mean_b, kb) = centre(a), centre(b)
    U, D, Vt = np.linalg.svd(b.swapaxes(-1, -2) @ a)
    least_turn(U, D, Vt)
    sign = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    U[..., 2] *= sign[..., None]  # no mirror: flip the weakest direction
    D[..., 2] *= sign
    R, s = U @ Vt, np.ones(sign.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # cast looks
        if with_scale:
            spread = (a**2).sum((-2, -1))
            if not spread.all():
                raise ValueError("with_scale: the src points coincide")
            s = np.ldexp(D.sum(-1) / spread, kb - ka)
        t = mean_b - s[..., None] * (R @ mean_a[..., None])[..., 0]
    return cast(s, dtype), cast(R, dtype), cast(t, dtype)


# --8<-- [end:umeyama]
# --8<-- [start:steps]
def icp_steps(src, dst, T, max_iterations, tolerance, max_distance, keep):
    """Yield T and its pairs (i, j), src[i] near dst[j], until T is still."""
    for _ in range(max_iterations + 1):
        moved = src @ T[:3, :3].T + T[:3, 3]
        j, distance = nearest(moved, dst)
        i = np.flatnonzero(distance <= max_distance)
        order = np.argsort(distance[i], kind="stable")
        i = i[order[: int(np.ceil(keep * len(i)))]]
        if len(i) < 3:
            found = f"{len(i)} of {len(src)} within {max_distance:g}"
            raise ValueError(f"icp needs 3 pairs, found {found}")
        yield T, i, j[i]
        T = T.copy()
        _, T[:3, :3], T[:3, 3] = umeyama(src[i], dst[j[i]])
        step = np.abs(src @ T[:3, :3].T + T[:3, 3] - moved).max()
        if step <= tolerance * np.ptp(src, axis=0).max():
            return


# --8<-- [end:steps]
# --8<-- [start:icp]
def icp(
    src: ArrayLike,
    dst: ArrayLike,
    T0: ArrayLike | None = None,
    max_iterations: int = 100,
    tolerance: float = 1e-9,
    max_distance: float = np.inf,
    keep: float = 1.0,
) -> np.ndarray:
    """Return T [..., 4, 4] with dst = T src; src [..., N, 3], dst [..., M, 3].

    Point-to-point (Besl and McKay 1992), from T0 [4, 4] (identity). Drops
    pairs farther than max_distance, then keeps the nearest share `keep`.
    Stops when no point moves by more than tolerance times src's extent, or
    after max_iterations. ValueError: shapes, numbers, fewer than 3 pairs.
    """
    src, dst, dtype = check_points(src, dst)
    T = check_start(T0, src, dst)
    check_options(max_iterations, tolerance, max_distance, keep)
    batch = np.broadcast_shapes(src.shape[:-2], dst.shape[:-2])
    src = np.broadcast_to(src, batch + src.shape[-2:])
    dst = np.broadcast_to(dst, batch + dst.shape[-2:])
    out = np.empty(batch + (4, 4))
    options = max_iterations, tolerance, max_distance, keep
    for n in np.ndindex(batch):
        for step in icp_steps(src[n], dst[n], T, *options):
            out[n] = step[0]
    return cast(out, dtype)


# --8<-- [end:icp]


if __name__ == "__main__":
    # --8<-- [start:use]
    c, s = np.cos(0.3), np.sin(0.3)
    R, t = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), [0.2, -0.1, 0.3]
    src = np.random.default_rng(0).uniform(-1, 1, (200, 3)) * [4, 2, 1]
    dst = src @ R.T + t

    _, R_found, t_found = umeyama(src, dst)  # dst[i] belongs to src[i]
    print("umeyama", np.allclose(R_found, R), t_found.round(6))
    T = icp(src, dst[::-1])  # pairs unknown
    print("icp", np.allclose(T[:3, :3], R), T[:3, 3].round(6))
    # --8<-- [end:use]
