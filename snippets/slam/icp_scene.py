"""A room's map and a scan of it that starts out misplaced, for ICP."""

import numpy as np

from point_sets import nearest

CORNERS = np.array([[0, 0], [6, 0], [6, 2.5], [4, 2.5], [4, 4], [0, 4]])


def walls(step=0.05):
    """Return points every `step` metres along the walls, at 3 heights."""
    flat = []
    for start, end in zip(CORNERS, np.roll(CORNERS, -1, 0), strict=True):
        count = round(np.abs(end - start).max() / step)
        flat += [start + (end - start) * k / count for k in range(count)]
    return np.array([[*xy, z] for z in (0, 0.5, 1) for xy in flat])


def about_z(degrees, t=(0, 0, 0), centre=(2.5, 2, 0)):
    """Return T [4, 4]: a turn about a vertical axis at centre, then t."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    T = np.eye(4)
    T[:2, :2] = [[c, -s], [s, c]]
    T[:3, 3] = np.array(t) + centre - T[:3, :3] @ centre
    return T


# --8<-- [start:scene]
def scene(outliers=0):
    """Return scan [120, 3], room [1200, 3] and the true T, room = T scan.

    The scan's noise is 1 cm; `outliers` of its points are on a person who
    is not in the map.
    """
    rng = np.random.default_rng(1)
    room = walls()
    scan = rng.choice(walls(0.02), 120, replace=False)
    scan += rng.normal(scale=0.01, size=scan.shape)
    person = [1.6, 1.0, 0.5] + rng.normal(size=(36, 3)) * [0.15, 0.15, 0.3]
    scan[:outliers] = person[:outliers]
    T = about_z(-15, (0.4, -0.3, 0))
    return (scan - T[:3, 3]) @ T[:3, :3], room, T


# --8<-- [end:scene]


def error(T, T_true):
    """Return the rotation error in degrees and, mid-room, that in metres."""
    chord = np.linalg.norm(T[:3, :3] - T_true[:3, :3]) / np.sqrt(8)
    middle = np.linalg.inv(T_true) @ [2.5, 2, 0.5, 1]
    gap = np.linalg.norm((T - T_true) @ middle)
    return np.degrees(2 * np.arcsin(min(chord, 1))), gap


# --8<-- [start:fit]
def fit(T, scan, room, keep=1.0):
    """Return the root mean square distance of T scan to the room, metres.

    Over the nearest share `keep` of the points, as icp counts it.
    """
    distance = np.sort(nearest(scan @ T[:3, :3].T + T[:3, 3], room)[1])
    distance = distance[: int(np.ceil(keep * len(scan)))]
    return np.sqrt((distance**2).mean())


# --8<-- [end:fit]
