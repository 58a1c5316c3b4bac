"""Where ICP stops being sure: starts among outliers, pairs that join, iterations."""

import numpy as np
import pytest

import icp_scene
from registration import icp, icp_steps

SNIPPETS = ["slam/icp_scene.py", "slam/registration.py"]


def test_several_starts_among_outliers():
    scan, room, T_true = icp_scene.scene(outliers=24)
    tries = [icp(scan, room, icp_scene.about_z(k * 45), keep=0.75) for k in range(8)]
    good = np.array([icp_scene.error(T, T_true)[0] < 1 for T in tries])
    trimmed, full = (np.array([icp_scene.fit(T, scan, room, keep) for T in tries]) for keep in (0.75, 1))
    assert good.sum() == 2 and (trimmed[good].round(3) == 0.017).all()
    assert 0.13 <= trimmed[~good].min() < 0.14
    assert full[good].round(2).tolist() == [0.46] * 2 and full[~good].min().round(2) == 0.48
    distance = np.sort(np.linalg.norm((scan @ tries[0][:3, :3].T + tries[0][:3, 3])[:, None] - room, axis=-1).min(1))
    assert trimmed[0] == pytest.approx(np.sqrt((distance[:90] ** 2).mean()))


def test_what_grows_with_max_distance():
    """The sum over the pairs may grow; with a fine for each lone point it may not."""
    scan, room, _ = icp_scene.scene()
    sums, fined = [], []
    for T, i, j in icp_steps(scan, room, np.eye(4), 100, 1e-9, 0.5, 1):
        sums.append(((room[j] - scan[i] @ T[:3, :3].T - T[:3, 3]) ** 2).sum())
        fined.append(sums[-1] + 0.5**2 * (len(scan) - len(i)))
    assert np.round(sums[:2], 1).tolist() == [6.2, 6.7]
    assert np.diff(fined).max() < 1e-12


def test_running_out_of_iterations_gives_no_sign():
    scan, room, T_true = icp_scene.scene()
    early = icp(scan, room, max_iterations=5)
    assert round(icp_scene.error(early, T_true)[0], 1) == 4.5
    for limit, count in ((5, 6), (100, 28)):
        assert len(list(icp_steps(scan, room, np.eye(4), limit, 1e-9, np.inf, 1))) == count


def test_the_figures_numbers():
    """Root mean square distance of all scan points from their true places, as drawn."""
    runs = []
    for outliers, start, keep in ((0, np.eye(4), 1), (24, np.eye(4), 1), (24, np.eye(4), 0.75),
                                  (0, icp_scene.about_z(30), 1)):
        scan, room, T_true = icp_scene.scene(outliers)
        gaps = [(T - T_true) @ np.column_stack([scan, np.ones(120)]).T
                for T, *_ in icp_steps(scan, room, start, 100, 1e-9, np.inf, keep)]
        runs.append([np.sqrt((gap**2).sum(0).mean()) for gap in gaps])
    plain, outliers, trimmed, start = runs
    assert plain[-1] < 0.01 and trimmed[-1] < 0.01
    assert round(outliers[-1], 2) == 0.48 and round(start[-1], 2) == 2.28 and min(start) > 2
    assert plain[-1] > min(plain) and trimmed[-1] > min(trimmed)
    scan, room, T_true = icp_scene.scene()
    steps = [icp_scene.error(T, T_true)[0] for T, *_ in icp_steps(scan, room, np.eye(4), 100, 1e-9, np.inf, 1)]
    assert np.round([steps[k] for k in (0, 1, 3, 27)], 1).tolist() == [15.0, 12.9, 8.0, 0.1]
