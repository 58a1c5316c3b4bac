"""Read a pose graph in g2o's text format; an error names file and line."""

from dataclasses import dataclass
from math import isfinite

import numpy as np


# --8<-- [start:graph]
@dataclass(frozen=True)
class PoseGraph:
    """N poses and M measurements between two of them.

    ids: [N], ascending. poses: [N, 4, 4], body to world, row k is vertex
    ids[k]. edges: [M, 2], rows (i, j) of poses. measurements: [M, 4, 4],
    pose j seen from pose i, ideally inverse(T_i) T_j. information:
    [M, 6, 6], inverse covariance of [rho, phi]. fixed: [N], bool.
    """

    ids: np.ndarray
    poses: np.ndarray
    edges: np.ndarray
    measurements: np.ndarray
    information: np.ndarray
    fixed: np.ndarray
    # --8<-- [end:graph]


def vertex_id(field: str, where: str) -> int:
    try:
        return int(field)
    except ValueError:
        raise ValueError(f"{where}: {field!r} is no vertex id") from None


def numbers(fields: list[str], count: int, where: str) -> list[float]:
    """x y z qx qy qz qw, and what follows, all of them finite."""
    if len(fields) != count:
        raise ValueError(f"{where}: {len(fields)} numbers, expected {count}")
    try:
        values = [float(field) for field in fields]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if not all(map(isfinite, values)):
        raise ValueError(f"{where}: nan or inf among {' '.join(fields)}")
    if not any(values[3:7]):
        raise ValueError(f"{where}: the quaternion is 0")
    return values


# --8<-- [start:matrices]
def matrices(rows: list) -> np.ndarray:
    """Rows that start with x y z qx qy qz qw, |q| any but 0: [K, 4, 4]."""
    values = np.array(rows)[:, :7].T
    q = values[3:] / abs(values[3:]).max(axis=0, initial=0)
    x, y, z, w = q / np.sqrt((q * q).sum(axis=0))
    T = np.zeros((4, 4, len(rows)))
    T[0, :3] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - z * w),
        2 * (x * z + y * w),
    )
    T[1, :3] = (
        2 * (x * y + z * w),
        1 - 2 * (x * x + z * z),
        2 * (y * z - x * w),
    )
    T[2, :3] = (
        2 * (x * z - y * w),
        2 * (y * z + x * w),
        1 - 2 * (x * x + y * y),
    )
    T[:3, 3], T[3, 3] = values[:3], 1
    return np.moveaxis(T, -1, 0)
    # --8<-- [end:matrices]


def read_g2o(path) -> PoseGraph:
    """Read VERTEX_SE3:QUAT, EDGE_SE3:QUAT and FIX; skip all other tags.

    The information is not scaled from g2o's own residual, [t, about phi/2].
    Raises OSError for a missing file and ValueError, with file and line, for
    missing, further or non-numeric fields (nan and inf included), a
    quaternion of 0, a vertex given twice and an id that no vertex has.
    """
    vertices, edges, ends, fixed = {}, [], [], []
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for line, row in enumerate(file, 1):
            tag, *fields = row.split("#")[0].split() or [""]
            where = f"{path}:{line}: {tag}"
            if tag == "VERTEX_SE3:QUAT":
                key = vertex_id("".join(fields[:1]), where)
                if key in vertices:
                    raise ValueError(f"{where}: {key} is there already")
                vertices[key] = numbers(fields[1:], 7, where)
            elif tag == "EDGE_SE3:QUAT":
                ends += [(vertex_id(f, where), where) for f in fields[:2]]
                edges.append(numbers(fields[2:], 28, where))
            elif tag == "FIX":
                fixed += [(vertex_id(f, where), where) for f in fields]
    for key, where in ends + fixed:
        if key not in vertices:
            raise ValueError(f"{where}: there is no vertex {key}")
    if not vertices:
        raise ValueError(f"{path}: there is no VERTEX_SE3:QUAT in it")
    ids = np.array(sorted(vertices))
    edges = np.array(edges).reshape(-1, 28)
    information = np.zeros((len(edges), 6, 6))
    row, column = np.triu_indices(6)
    information[:, row, column] = information[:, column, row] = edges[:, 7:]
    return PoseGraph(
        ids,
        matrices([vertices[key] for key in ids.tolist()]),
        np.searchsorted(ids, [key for key, _ in ends]).reshape(-1, 2),
        matrices(edges),
        information,
        np.isin(ids, [key for key, _ in fixed]),
    )
