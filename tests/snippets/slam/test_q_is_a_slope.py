"""q_is_a_slope.py against Barfoot's closed form with 100 digits."""

import numpy as np
from lie_truth import barfoot_q, distance, exact, vectors

from q_is_a_slope import double_series, left_jacobian, slope


def test_three_ways_to_q():
    rng = np.random.default_rng(0)
    for phi in vectors(0, top=3.2)[::9]:
        rho = rng.normal(size=3)
        truth = barfoot_q(exact(rho), exact(phi))
        assert distance(slope(rho, phi), truth) < 1e-7
        assert distance(double_series(rho, phi), truth) < 1e-14
        J = left_jacobian(np.concatenate([rho, phi]))
        assert distance(J[:3, 3:], truth) < 1.3e-15
    rho, phi = np.array([1, 2, 3]), np.array([0.3, -0.2, 0.5])
    ours = slope(rho, phi).ravel()[:5].round(6)
    assert ours.tolist() == [-0.353118, -1.329441, 1.216983, 1.463013, -0.580912]
