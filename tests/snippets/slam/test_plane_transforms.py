"""plane_transforms.py: what each of four transforms keeps, over random ones."""

import itertools
import math
import runpy

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

import plane_transforms
from plane_transforms import TRANSFORMS, angle, measure, move, plane

UNMOVED = [1, 90, 0, 0.5, 1.5]
small = st.floats(-0.4, 0.4, allow_subnormal=False)
turns = st.floats(-3, 3, allow_subnormal=False)
scales = st.floats(0.2, 4)


def rotation(a):
    return np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])


def near(a, b):
    return np.abs(np.array(a) - b).max() < 1e-9


@given(turns, scales, small, small, small)
def test_what_each_keeps(a, s, shear, p, q):
    R = rotation(a)
    assert near(measure(plane(R)), UNMOVED)
    assert near(measure(plane(s * R)), [s, *UNMOVED[1:]])
    bent = measure(plane(R @ [[s, shear], [0, 1]]))
    assert near(bent[2:], UNMOVED[2:])
    assert near(bent[1], math.degrees(math.atan2(1, shear)))
    cross = measure(plane(R @ [[s, shear], [0, 1]], bottom=(p, q, 1)))
    assert near(cross[4], 1.5)


def test_what_each_loses():
    rigid, similarity, affine, projective = map(measure, TRANSFORMS.values())
    assert near(rigid, UNMOVED)
    assert near(similarity, [0.7, *UNMOVED[1:]])
    assert abs(affine[1] - math.degrees(math.atan2(0.8, 0.5))) < 1e-9 and near(affine[2:], [0, 0.5, 1.5])
    assert projective[2] > 20 and projective[3] > 0.55 and near(projective[4], 1.5)


def test_move_is_the_fraction_written_out():
    for H in TRANSFORMS.values():
        for x, y in itertools.product((0, 0.5, 1), (0, 1)):
            u, v, w = (sum(mp.mpf(float(h)) * c for h, c in zip(row, (x, y, 1), strict=True))
                       for row in H)
            assert near(move(H, np.array([[x, y]])), [[float(u / w), float(v / w)]])
    assert near(move(TRANSFORMS["affine"], np.zeros((1, 2))), [[0.3, 0.1]])


def test_angles():
    assert near(angle(np.array([2, 0]), np.array([0, -3])), 90)
    assert near(angle(np.array([1, 0]), np.array([-1, 1])), 135)


def test_what_it_prints(capsys):
    runpy.run_path(plane_transforms.__file__, run_name="__main__")
    out = capsys.readouterr().out
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["rigid", "1.00", "90.0°", "0.0°", "0.50", "1.500"],
        ["similarity", "0.70", "90.0°", "0.0°", "0.50", "1.500"],
        ["affine", "1.20", "58.0°", "0.0°", "0.50", "1.500"],
        ["projective", "0.56", "93.3°", "25.7°", "0.57", "1.500"],
    ]
