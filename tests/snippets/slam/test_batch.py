"""batch.py: any leading shape, in blocks, as a loop over elements gives."""

import numpy as np
import pytest

import batch
import quaternion
import se3
import so3
from batch import batched

SNIPPETS = ["slam/batch.py"]


@batched((3,), ())
def stretched(v, factor):
    """v [3, n] and factor [n] to [2, n]: the first two, stretched."""
    assert v.dtype == factor.dtype == float
    assert v.shape[0] == 3 and v.shape[1:] == factor.shape
    assert len(factor) <= batch.BLOCK
    x, y, _ = v
    return np.array([x * factor, y * factor])


def test_shapes():
    v = np.arange(24.0).reshape(2, 4, 3)
    assert stretched.__name__ == "stretched"
    assert stretched.__doc__.startswith("v [3, n]")
    assert (stretched(v, 2) == 2 * v[..., :2]).all()
    assert (stretched(v[0, 0], [1, 2, 3]) == np.outer([1, 2, 3], [0, 1])).all()
    factors = np.arange(4.0)
    assert (stretched(v, factors) == v[..., :2] * factors[:, None]).all()
    assert stretched(v[:, :1], factors).shape == (2, 4, 2)
    assert stretched([1, 2, 3], 2).tolist() == [2, 4]
    assert stretched(v.tolist(), [[1], [2]]).shape == (2, 4, 2)


def test_errors():
    with pytest.raises(ValueError, match=r"stretched: expected \[\.\.\., 3\], got \(4,\)"):
        stretched(np.zeros(4), 1)
    with pytest.raises(ValueError, match="expected"):
        stretched(1, 1)
    with pytest.raises(ValueError, match="broadcast"):
        stretched(np.zeros((2, 3)), np.zeros(5))
    for bad in (np.nan, np.inf, -np.inf, 1e150, -1e200):
        with pytest.raises(ValueError, match="expected finite numbers below 1e150"):
            stretched([0, 0, bad], 1)
    with pytest.raises(TypeError):
        stretched([1j, 0, 0], 1)
    late = np.zeros((5000, 3))
    late[4999, 2] = np.nan  # in the last block
    with pytest.raises(ValueError, match="finite"):
        stretched(late, 1)


def test_names():
    """Arguments may be named, and what is missing or unknown is named too."""
    v, factor = np.arange(6.0).reshape(2, 3), [1, 2]
    plain = stretched(v, factor)
    assert (stretched(v, factor=factor) == plain).all()
    assert (stretched(factor=factor, v=v) == plain).all()
    with pytest.raises(TypeError, match="missing a required argument: 'factor'"):
        stretched(v)
    with pytest.raises(TypeError, match="missing a required argument: 'v'"):
        stretched(factor=1)
    with pytest.raises(TypeError, match="too many positional arguments"):
        stretched(v, 1, 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'f'"):
        stretched(v, 1, f=1)
    with pytest.raises(TypeError, match="multiple values for argument 'v'"):
        stretched(v, 1, v=v)
    q0, q1 = quaternion.from_rotvec([[0, 0, 0], [0, 0, 1]])
    half = quaternion.slerp(q0, q1=q1, t=0.5)
    assert (half == quaternion.slerp(q0, q1, 0.5)).all()
    assert (se3.act(p=[1, 2, 3], T=np.eye(4)) == [1, 2, 3]).all()


def test_types():
    single = np.ones(3, np.float32)
    assert stretched(single, np.float32(2)).dtype == np.float32
    assert stretched(single.astype(np.float16), np.float16(2)).dtype == np.float32
    assert stretched(single, np.float64(2)).dtype == np.float64
    assert stretched(np.ones(3, int), 2).dtype == np.float64
    assert stretched(np.ones(3, bool), np.float32(2)).dtype == np.float64


@pytest.mark.claim(
    zh="任意批量（0、1、2047、2048、2049、5000）的结果与逐个元素计算相同，只读输入不被改写",
    en="Any batch size (0, 1, 2047, 2048, 2049, 5000) gives what element by element gives, and read-only inputs stay as they are",
    against_zh="逐个元素的循环；未分块的计算",
    against_en="a loop over elements; the formula without blocks",
    tolerance="1e-15",
)
@pytest.mark.parametrize("n", [0, 1, 2047, 2048, 2049, 5000])
def test_blocks(n, monkeypatch):
    assert batch.BLOCK == 2048
    rng = np.random.default_rng(n)
    xi = rng.normal(size=(n, 6))
    xi.flags.writeable = False
    factor = rng.normal(size=n)
    assert (stretched(xi[:, :3], factor) == xi[:, :2] * factor[:, None]).all()
    T = se3.exp(xi)
    functions = [
        (so3.exp, xi[:, 3:]),
        (so3.left_jacobian_inv, xi[:, 3:]),
        (se3.left_jacobian, xi),
        (se3.log, T),
        (so3.project, T[:, :3, :3]),
    ]
    blocked = [function(a) for function, a in functions]
    moved = se3.act(T, xi[:, :3])
    for result in [*blocked, moved]:
        assert len(result) == n and result.dtype == float
    for i in {0, n // 2, 2047, 2048, n - 1} & set(range(n)):
        for (function, a), result in zip(functions, blocked, strict=True):
            assert np.abs(function(a[i]) - result[i]).max() < 1e-14
        assert np.abs(T[i, :3, :3] @ xi[i, :3] + T[i, :3, 3] - moved[i]).max() < 1e-14
    monkeypatch.setattr(batch, "BLOCK", 10**9)  # one block: the plain way
    for (function, a), result in zip(functions, blocked, strict=True):
        assert np.abs(function(a) - result).max(initial=0) < 1e-14
