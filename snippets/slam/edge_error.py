"""What an edge says: its residual, its Jacobians and its robust weight.

Poses map body to world and move by T exp(delta), delta = [rho, phi],
translation first, metres and radians.
"""

import numpy as np

from g2o_reader import PoseGraph
from se3 import adjoint, inverse, left_jacobian_inv, log


# --8<-- [start:residual]
def residuals(graph: PoseGraph, poses: np.ndarray):
    """e = log(Z^-1 T_i^-1 T_j) [M, 6], and T_j^-1 T_i [M, 4, 4]."""
    i, j = graph.edges.T
    back = inverse(poses)[j] @ poses[i]
    return -log(back @ graph.measurements), back  # log(T^-1) is -log(T)


def jacobians(e: np.ndarray, back: np.ndarray) -> np.ndarray:
    """[de/d delta_i, de/d delta_j], [M, 6, 12]; J_r(e) is J_l(-e)."""
    Jj = left_jacobian_inv(-e)
    Ji = -Jj @ adjoint(back)
    return np.concatenate([Ji, Jj], axis=-1)
    # --8<-- [end:residual]


# --8<-- [start:kernel]
def squared(graph: PoseGraph, e: np.ndarray) -> np.ndarray:
    """s = e' Omega e of every edge, [M]."""
    return np.einsum("ma,mab,mb->m", e, graph.information, e)


def kernel(s: np.ndarray, robust: str | None, width: float):
    """Loss of the squared errors s = e' Omega e, and its slope: the weight."""
    if robust is None:
        return s, np.ones_like(s)
    if robust == "huber":
        d = np.sqrt(np.maximum(s, width**2))
        return np.where(s > width**2, 2 * width * d - width**2, s), width / d
    if robust == "cauchy":
        return width**2 * np.log1p(s / width**2), 1 / (1 + s / width**2)
    raise ValueError(f"robust: None, 'huber' or 'cauchy', got {robust!r}")
    # --8<-- [end:kernel]


def check(graph: PoseGraph, width: float) -> None:
    """Raise ValueError for what no minimum can be found for."""
    for name in ("poses", "measurements", "information"):
        if not np.isfinite(getattr(graph, name)).all():
            raise ValueError(f"graph.{name} holds nan or inf")
    if not 0 < width < np.inf:
        raise ValueError(f"width must be positive, got {width}")
    if graph.information.size and not graph.information.any():
        raise ValueError("every information is 0: no pose is determined")
    size = np.abs(graph.information).max(axis=(1, 2), initial=1e-300)
    nudge = 1e-9 * size[:, None, None] * np.eye(6)
    try:
        np.linalg.cholesky(graph.information + nudge)
    except np.linalg.LinAlgError:
        lowest = np.linalg.eigvalsh(graph.information)[:, 0] / size
        i, j = graph.ids[graph.edges[lowest.argmin()]]
        raise ValueError(
            f"edge {i}-{j}: its information is not positive semidefinite"
        ) from None
