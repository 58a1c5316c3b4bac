"""Point sets for registration.py: checks, safe centring, nearest points."""

import numpy as np


def check_points(src, dst):
    """Return both as float64 [..., N, 3] copies, and the result's dtype.

    float32 only if both are; ValueError says what was expected.
    """
    arrays = np.asarray(src), np.asarray(dst)
    for name, x in zip(("src", "dst"), arrays, strict=True):
        if x.ndim < 2 or x.shape[-1] != 3 or not x.shape[-2]:
            raise ValueError(f"{name}: expected [..., N, 3], got {x.shape}")
        if x.dtype.kind not in "fiu" or not np.isfinite(x).all():
            raise ValueError(f"{name}: expected finite real numbers")
    single = all(x.dtype == np.float32 for x in arrays)
    copies = (x.astype(np.float64) for x in arrays)
    return *copies, np.dtype(np.float32 if single else np.float64)


def cast(x, dtype):
    """Return x as dtype; ValueError where it is not a finite number there."""
    with np.errstate(over="ignore"):
        x = np.asarray(x).astype(dtype)[()]
    if not np.isfinite(x).all():
        raise ValueError(f"the result is too large for {dtype}")
    return x


def check_start(T0, src, dst):
    """Return T0 as float64 [4, 4], the identity for None."""
    T = np.eye(4) if T0 is None else np.array(T0, np.float64)
    rigid = T.shape == (4, 4) and (np.abs(T[:3, :3]) < 2).all()
    if rigid:
        R = T[:3, :3]
        rigid = np.abs(R @ R.T - np.eye(3)).max() < 1e-5
        rigid &= np.linalg.det(R) > 0 and (T[3] == [0, 0, 0, 1]).all()
    if not rigid or not np.isfinite(T).all():
        raise ValueError("T0: expected a rigid transform [4, 4]")
    if max(np.abs(x).max(initial=0) for x in (src, dst, T)) > 1e300:
        raise ValueError("icp: expected coordinates up to 1e300")
    return T


def check_options(max_iterations, tolerance, max_distance, keep):
    """Raise ValueError for options of icp that make no sense, or NaN."""
    limits = max_iterations >= 0, tolerance >= 0, max_distance > 0
    if not all(limits) or not 0 < keep <= 1:
        raise ValueError(
            "expected max_iterations >= 0, tolerance >= 0, "
            "max_distance > 0 and 0 < keep <= 1"
        )


def exponent(x):
    """Return k [..., 1, 1] with max |x| in [2**(k-1), 2**k); 0 for zeros."""
    return np.frexp(np.abs(x).max((-2, -1), keepdims=True))[1]


# --8<-- [start:centre]
def centre(x):
    """Return unit, mean, k: x = mean + 2**k unit, with max |unit| < 1."""
    power = exponent(x)
    x = np.ldexp(x, -power)  # exact, and no product leaves the range
    first = x[..., :1, :]
    rest = x - first  # equal points give exact zeros, near ones stay exact
    mean = rest.mean(-2, keepdims=True)
    k = exponent(rest - mean)
    unit, mean = np.ldexp(rest - mean, -k), np.ldexp(first + mean, power)
    return unit, mean[..., 0, :], (power + k)[..., 0, 0]


# --8<-- [end:centre]


def least_turn(U, D, Vt):
    """Turn U's and V's free vectors, if src or dst is a line or a point.

    Of all best rotations U Vt the one of least angle is left. In place.
    """
    line = (D[..., 1] <= 16 * np.finfo(float).eps * D[..., 0])[..., None, None]
    P, _, Q = np.linalg.svd((Vt[..., 1:, :] @ U[..., 1:]).swapaxes(-1, -2))
    U[..., 1:] = np.where(line, U[..., 1:] @ P, U[..., 1:])
    Vt[..., 1:, :] = np.where(line, Q @ Vt[..., 1:, :], Vt[..., 1:, :])


# --8<-- [start:nearest]
def nearest(query, points, budget=2**19):
    """Return for each query [N, 3] its nearest of points [M, 3].

    index [N] and distance [N]; the first of equals. Brute force, in blocks
    of `budget` numbers or one row of 3 M, so that memory stays bounded.
    """
    both = np.concatenate([query, points])
    power = exponent(both)[0, 0]  # so that no square leaves the range
    query, points = np.ldexp(query, -power), np.ldexp(points, -power)
    rows = max(1, budget // points.size)
    index, square = np.empty(len(query), int), np.empty(len(query))
    for i in range(0, len(query), rows):
        gap = query[i : i + rows, None] - points  # [rows, M, 3]
        squares = np.einsum("nmk,nmk->nm", gap, gap)
        index[i : i + rows] = squares.argmin(1)
        square[i : i + rows] = squares.min(1)
    return index, np.ldexp(np.sqrt(square), power)


# --8<-- [end:nearest]
