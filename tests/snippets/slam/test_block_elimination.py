"""block_elimination.py against numpy.linalg.solve on the dense matrix."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from block_elimination import Elimination
from nested_dissection import dissect


def dense(count, edges, blocks, dim):
    """The same sums, one number at a time."""
    H, b = np.zeros((count * dim, count * dim)), np.zeros(count * dim)
    for ends, block in zip(edges, blocks, strict=True):
        at = np.concatenate([dim * v + np.arange(dim) for v in ends])
        for r, row in enumerate(at):
            b[row] += block[r, -1]
            for c, column in enumerate(at):
                H[row, column] += block[r, c]
    return H, b


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.sampled_from([1, 2, 6]), st.integers(1, 6), st.data())
def test_as_the_dense_solution(count, dim, leaf, data):
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = np.array(data.draw(st.lists(pair, min_size=1, max_size=60)))
    free = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    J = rng.normal(size=(len(edges), 2 * dim, 2 * dim))
    blocks = np.concatenate([J.mT @ J, rng.normal(size=(len(edges), 2 * dim, 1))], -1)
    neighbours = [set() for _ in range(count)]
    for i, j in edges.tolist():
        neighbours[i].add(j)
        neighbours[j].add(i)
    plan = Elimination(dissect(neighbours, free, leaf), edges, dim)
    assert sorted(plan.order.tolist()) == sorted(free)
    system = plan.assemble(blocks)
    H, b = dense(count, edges, blocks, dim)
    kept = (dim * plan.order[:, None] + np.arange(dim)).ravel()
    H, b = H[np.ix_(kept, kept)], b[kept]
    np.testing.assert_allclose(system[plan.diagonal], H.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(system[plan.right], b, rtol=1e-9, atol=1e-12)
    before = system.copy()
    before[plan.diagonal] += 1
    kept_copy = before.copy()
    x = plan.solve(before)
    np.testing.assert_array_equal(before, kept_copy)
    expected = np.linalg.solve(H + np.eye(len(b)), b)
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9)
