"""quaternion.py against scipy, mpmath and the laws of the group."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation, Slerp

import quaternion

pytestmark = pytest.mark.filterwarnings("error")

EDGES = [0.0, 1e-170, 1e-160, 1e-12, 1e-8, 1e-3, 1.0, 3.0, np.pi - 1e-9, np.pi, 4.0, 6.0]
AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, -1], [1, 1, 0], [-1, 2, 2], [3, -4, 12]], float)
AXES /= np.linalg.norm(AXES, axis=1)[:, None]
SIZES = [0, 1, 2047, 2048, 2049, 5000]
components = arrays(np.float64, 4, elements=st.floats(-10, 10, allow_subnormal=False)).filter(
    lambda q: np.linalg.norm(q) > 1e-3)
vectors = arrays(np.float64, 3, elements=st.floats(-10, 10, allow_subnormal=False))
times = st.floats(-2, 3, allow_subnormal=False)


def normal(q):
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def samples(n, seed=0):
    return normal(np.random.default_rng(seed).standard_normal((n, 4)))


def rotation(q):
    return Rotation.from_quat(q, scalar_first=True)


def apart(a, b):
    """The largest difference of unit quaternions, the sign left open."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)).max(initial=0)


def exact_product(a, b):
    """Hamilton's table, at 50 digits: w from w w − v·v, the rest from vectors."""
    table = {(0, k): (1, k) for k in range(4)} | {(k, 0): (1, k) for k in range(4)}
    table |= {(k, k): (-1, 0) for k in (1, 2, 3)}
    for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
        table |= {(i, j): (1, k), (j, i): (-1, k)}
    out = [mpmath.mpf(0)] * 4
    for (m, n), (sign, k) in table.items():
        out[k] += sign * mpmath.mpf(float(a[m])) * mpmath.mpf(float(b[n]))
    return out


@given(components, components)
def test_product(a, b):
    with mpmath.workdps(50):
        expected = exact_product(a, b)
        error = max(abs(mpmath.mpf(float(x)) - y)
                    for x, y in zip(quaternion.multiply(a, b), expected, strict=True))
    assert error <= 1e-15 * np.linalg.norm(a) * np.linalg.norm(b)


def test_units_multiply_as_hamilton_wrote():
    one, i, j, k = np.eye(4, dtype=int)
    for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
        assert (quaternion.multiply(a, b) == c).all()
        assert (quaternion.multiply(b, a) == -c).all()
        assert (quaternion.multiply(a, a) == -one).all()


@given(components, vectors)
def test_jpl_turns_the_other_way(q, p):
    """ij = −k is Hamilton's product with its factors swapped: R becomes Rᵀ."""
    jpl = lambda a, b: quaternion.multiply(b, a)
    _, i, j, k = np.eye(4)
    assert (jpl(i, j) == -k).all()
    turned = jpl(jpl(q, np.append(0, p)), quaternion.inverse(q))[1:]
    expected = rotation(q).as_matrix().T @ p
    assert np.abs(turned - expected).max() <= 1e-14 * (1 + np.linalg.norm(p))
    assert (quaternion.rotate([1, 0, 0, 0], p) == p).all()  # the identity shows nothing


@given(components, components, components)
def test_group_laws(a, b, c):
    a, b, c = normal(a), normal(b), normal(c)
    left = quaternion.multiply(quaternion.multiply(a, b), c)
    assert np.abs(left - quaternion.multiply(a, quaternion.multiply(b, c))).max() < 1e-15
    assert abs(np.linalg.norm(quaternion.multiply(a, b)) - 1) < 1e-15
    assert (quaternion.multiply(a, [1, 0, 0, 0]) == a).all()
    ab = quaternion.conjugate(quaternion.multiply(a, b))
    ba = quaternion.multiply(quaternion.conjugate(b), quaternion.conjugate(a))
    assert np.abs(ab - ba).max() < 1e-15


@given(components, st.sampled_from([1, 1e-170, 1e-300, 1e140]))
def test_inverse(q, scale):
    inverse = quaternion.inverse(q * scale) * scale
    product = quaternion.multiply(q, inverse)
    assert np.abs(product - [1, 0, 0, 0]).max() < 2e-15
    assert (quaternion.conjugate(q) == q * [1, -1, -1, -1]).all()


@pytest.mark.claim(
    zh="q p q⁻¹ 就是旋转矩阵乘 p；q 不必是单位长，q 与 −q 结果相同",
    en="q p q⁻¹ is the rotation matrix times p; q need not be unit, and −q does the same",
    against_zh="scipy 的 Rotation.apply 与 as_matrix",
    against_en="scipy's Rotation.apply and as_matrix",
    tolerance="2e-15 |p|",
)
@given(components, vectors)
def test_rotate(q, p):
    expected, size = rotation(q).apply(p), 1e-99 + np.linalg.norm(p)
    assert np.abs(quaternion.rotate(q, p) - expected).max() <= 2e-15 * size
    assert np.abs(quaternion.rotate(-q, p) - expected).max() <= 2e-15 * size
    assert np.abs(quaternion.to_matrix(q) - rotation(q).as_matrix()).max() < 2e-15
    pure = np.append(0, p)
    full = quaternion.multiply(quaternion.multiply(q, pure), quaternion.inverse(q))
    assert abs(full[0]) <= 4e-15 * size
    assert np.abs(full[1:] - expected).max() <= 4e-15 * size


@given(components, components)
def test_a_product_is_b_then_a(a, b):
    expected = (rotation(a) * rotation(b)).as_matrix()
    assert np.abs(quaternion.to_matrix(quaternion.multiply(a, b)) - expected).max() < 4e-15


@pytest.mark.parametrize("angle", EDGES)
def test_rotation_vectors(angle):
    with mpmath.workdps(50):
        for phi in angle * AXES:
            exact = [mpmath.mpf(float(x)) for x in phi]
            theta = mpmath.sqrt(sum(x * x for x in exact))
            factor = mpmath.sin(theta / 2) / theta if theta else mpmath.mpf("0.5")
            expected = [mpmath.cos(theta / 2), *(x * factor for x in exact)]
            q = quaternion.from_rotvec(phi)
            scale = [1, *[max(theta / 2, mpmath.mpf(10) ** -320)] * 3]
            for x, y, s in zip(q, expected, scale, strict=True):
                assert abs(mpmath.mpf(float(x)) - y) <= 5e-16 * s
            turns = mpmath.nint(theta / (2 * mpmath.pi))
            short = 1 - turns * 2 * mpmath.pi / theta if theta else 1
            back = quaternion.to_rotvec(q)
            expected = np.array([float(x * short) for x in exact])
            if angle >= np.pi - 1e-8 and back @ expected < 0:
                expected *= 1 - 2 * np.pi / np.linalg.norm(expected)
            # a quaternion near −1 has lost what its sine does not hold
            allowed = 5e-16 * (angle if angle < np.pi else 2 * np.pi)
            assert np.abs(back - expected).max() <= allowed
            assert np.linalg.norm(back) <= np.pi + 1e-15


@pytest.mark.parametrize("angle", EDGES)
def test_matrices(angle):
    for axis in AXES:
        R = Rotation.from_rotvec(angle * axis).as_matrix()
        q = quaternion.from_matrix(R)
        assert q[0] >= 0
        assert apart(q, Rotation.from_rotvec(angle * axis).as_quat(scalar_first=True)) < 1e-15
        assert np.abs(quaternion.to_matrix(q) - R).max() < 1e-15


def test_many_matrices():
    q = samples(5000)
    R = rotation(q).as_matrix()
    assert apart(quaternion.from_matrix(R), q) < 1e-15
    assert (quaternion.from_matrix(R)[:, 0] >= 0).all()
    assert np.abs(quaternion.to_rotvec(q) - rotation(q).as_rotvec()).max() < 5e-15


@pytest.mark.claim(
    zh="slerp 匀速，走短的一边：q₁ 换成 −q₁ 结果相同",
    en="slerp keeps its speed and goes the short way: −q₁ for q₁ changes nothing",
    against_zh="scipy 的 Slerp（hypothesis 随机取两端与 t）",
    against_en="scipy's Slerp (hypothesis chooses the ends and t)",
    tolerance="4e-15",
)
@given(components, components, st.floats(0, 1, allow_subnormal=False))
def test_slerp(q0, q1, t):
    if abs(normal(q0) @ normal(q1)) < 1e-6:  # 180° apart: both ways are short
        return
    expected = Slerp([0, 1], rotation([q0, q1]))(t).as_matrix()
    for end in (q1, -q1):
        q = quaternion.slerp(q0, end, t)
        assert abs(np.linalg.norm(q) - 1) < 4e-16
        assert np.abs(quaternion.to_matrix(q) - expected).max() < 4e-15


@given(components, vectors.filter(lambda v: 1e-3 < np.linalg.norm(v) < 3.1), times)
def test_slerp_goes_on_beyond_its_ends(q0, phi, t):
    """At any t: q0, then t times the whole rotation."""
    q1 = quaternion.multiply(normal(q0), quaternion.from_rotvec(phi))
    expected = rotation(q0) * Rotation.from_rotvec(t * phi)
    found = quaternion.to_matrix(quaternion.slerp(q0, q1, t))
    assert np.abs(found - expected.as_matrix()).max() < 2e-14


@pytest.mark.parametrize("angle", [0.0, 1e-170, 1e-160, 1e-12, 1e-8, np.pi])
def test_slerp_at_the_edges(angle):
    q0, q1 = np.array([1.0, 0, 0, 0]), quaternion.from_rotvec([angle, 0, 0])
    for t in (0, 0.25, 1):
        expected = quaternion.from_rotvec([t * angle, 0, 0])
        found = quaternion.slerp(q0, q1, t)
        assert abs(found[1] - expected[1]) <= 4e-16 * abs(expected[1])
        assert abs(found[0] - expected[0]) < 4e-16
    assert apart(quaternion.slerp(q0, -q0, 0.3), q0) == 0


FUNCTIONS = [
    (quaternion.multiply, (4,), (4,)),
    (quaternion.rotate, (4,), (3,)),
    (quaternion.conjugate, (4,)),
    (quaternion.inverse, (4,)),
    (quaternion.from_matrix, (3, 3)),
    (quaternion.to_matrix, (4,)),
    (quaternion.from_rotvec, (3,)),
    (quaternion.to_rotvec, (4,)),
    (quaternion.slerp, (4,), (4,), ()),
]
names = [f[0].__name__ for f in FUNCTIONS]


def arguments(shapes, lead=(), dtype=float):
    rng = np.random.default_rng(7)
    return [rng.uniform(0.1, 1, (*lead, *shape)).astype(dtype) if shape != (3, 3)
            else Rotation.from_rotvec(rng.uniform(-1, 1, (int(np.prod(lead)), 3)))
            .as_matrix().reshape(*lead, 3, 3).astype(dtype) for shape in shapes]


@pytest.mark.parametrize(("function", "s"), [(f, s) for f, *s in FUNCTIONS], ids=names)
def test_batches(function, s):
    """Any lead, one element at a time gives the same; inputs stay as they were."""
    for n in SIZES:
        given_ = arguments(s, (n,))
        copies = [a.copy() for a in given_]
        result = function(*given_)
        assert len(result) == n and result.dtype == np.float64
        assert all((a == b).all() for a, b in zip(given_, copies, strict=True))
        for k in {0, n // 2, n - 1} if n else ():
            single = function(*(a[k] for a in given_))
            assert np.abs(result[k] - single).max() < 5e-16
    assert function(*arguments(s, (3, 1, 2))).shape[:3] == (3, 1, 2)
    if len(s) > 1:
        first, rest = arguments(s, (2, 1))[0], arguments(s, (5,))[1:]
        mixed = function(first, *rest)
        assert mixed.shape[:2] == (2, 5)
        single = function(first[1, 0], *(a[4] for a in rest))
        assert np.abs(mixed[1, 4] - single).max() < 5e-16


@pytest.mark.parametrize(("function", "s"), [(f, s) for f, *s in FUNCTIONS], ids=names)
def test_kinds_of_number(function, s):
    single = function(*arguments(s, (5,), np.float32))
    wide = [a.astype(np.float64) for a in arguments(s, (5,), np.float32)]
    assert single.dtype == np.float32
    assert np.abs(single - function(*wide)).max() < 2e-7
    whole = [np.ones(shape, int) if shape != (3, 3) else np.eye(3, dtype=int) for shape in s]
    assert function(*whole).dtype == np.float64
    assert np.abs(function(*whole) - function(*(a.astype(float) for a in whole))).max() == 0


@pytest.mark.parametrize(("function", "s"), [(f, s) for f, *s in FUNCTIONS], ids=names)
def test_bad_input(function, s):
    good = arguments(s, (5,))
    for position, shape in enumerate(s):
        for bad in (np.nan, np.inf, -np.inf, 1e200):
            broken = [a.copy() for a in good]
            broken[position].flat[-1] = bad
            with pytest.raises(ValueError, match="expected finite numbers"):
                function(*broken)
        if shape:
            broken = [*good[:position], np.ones((5, 5)), *good[position + 1:]]
            with pytest.raises(ValueError, match=rf"{function.__name__}: expected \[..., "):
                function(*broken)
    if len(s) > 1:
        with pytest.raises(ValueError, match="shape mismatch"):
            function(good[0], *(a[:3] for a in good[1:]))


@pytest.mark.parametrize("function", [
    quaternion.inverse, quaternion.to_matrix, quaternion.to_rotvec,
    lambda q: quaternion.rotate(q, [1, 2, 3]),
    lambda q: quaternion.slerp(q, [1, 0, 0, 0], 0.5),
    lambda q: quaternion.slerp([1, 0, 0, 0], q, 0.5),
])
def test_a_zero_quaternion_is_refused(function):
    for q in ([0, 0, 0, 0], [[1, 0, 0, 0], [0, 0, 0, 0]]):
        with pytest.raises(ValueError, match="a zero quaternion is not a rotation"):
            function(q)


def test_the_smallest_quaternion_with_an_inverse():
    """1 / |q| overflows below 5.6e-309; no inf, no warning, but an error."""
    assert (quaternion.inverse([1e-307, 0, 0, 0]) == [1 / 1e-307, 0, 0, 0]).all()
    for tiny in ([1e-320, 0, 0, 0], [0, -1e-310, 0, 3e-310]):
        for q in (tiny, [[1, 0, 0, 0], tiny]):
            with pytest.raises(ValueError, match="below 1e-308 a quaternion is too small"):
                quaternion.inverse(q)


def test_how_far_slerp_goes():
    """At 1e149, 1 - t and t cancel: that is refused, a million turns is not."""
    q0, q1 = quaternion.from_rotvec([[1, 2, 3], [1.5, 2, 2]])
    for t in (1e149, -1e149, 1.1e6):
        for end in (q0, q1):
            with pytest.raises(ValueError, match="t must lie between -1e6 and 1e6"):
                quaternion.slerp(q0, end, [0, t])
    for t in (1e6, -1e6):
        assert apart(quaternion.slerp(q0, q0, t), q0) < 1e-9
        expected = rotation(q0) * Rotation.from_rotvec(
            t * (rotation(q0).inv() * rotation(q1)).as_rotvec())
        found = quaternion.to_matrix(quaternion.slerp(q0, q1, t))
        assert np.abs(found - expected.as_matrix()).max() < 1e-8


def test_a_tiny_quaternion_is_a_rotation():
    for scale in (1e-170, 1e-300, 1e140):
        q = scale * samples(3)
        assert np.abs(quaternion.to_matrix(q) - rotation(samples(3)).as_matrix()).max() < 1e-15
