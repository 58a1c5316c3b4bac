"""A flat calibration board, measured twice with 2 mm of noise."""

import numpy as np

R_TRUE = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])
LAMP = np.array([0.5, 0.5, 1])  # 1 m in front of the board's centre


def boards(seed=5):
    """Return src and dst [25, 3], metres; without noise dst = R_TRUE src."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 5))
    flat = np.column_stack([x.ravel(), y.ravel(), np.zeros(25)])
    noise = rng.normal(scale=0.002, size=(2, 25, 3))
    return flat + noise[0], flat @ R_TRUE.T + noise[1]


def report(R, t):
    """Print det R, the fit on the board, and what happens to the lamp."""
    src, dst = boards()
    rms = np.sqrt(((dst - src @ R.T - t) ** 2).sum(-1).mean())
    gap = np.linalg.norm(R @ LAMP + t - R_TRUE @ LAMP)
    print(
        f"det R = {np.linalg.det(R):+.2f}, board {rms * 1e3:.1f} mm, "
        f"lamp off by {gap:.3f} m"
    )
