"""nested_dissection.py: the groups cover the part, and the cuts are thin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from block_elimination import Elimination
from nested_dissection import breadth_first, dissect, thin_level


def graph(count, edges):
    neighbours = [set() for _ in range(count)]
    for i, j in edges:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    return neighbours


def grid(n):
    v = np.arange(n * n).reshape(n, n)
    across = np.stack([v[:, :-1].ravel(), v[:, 1:].ravel()], 1)
    down = np.stack([v[:-1].ravel(), v[1:].ravel()], 1)
    return np.concatenate([across, down])


def test_levels_are_the_distances():
    path = graph(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert breadth_first(path, 1, {0, 1, 2, 4}) == [[1], [0, 2]]


@given(st.integers(1, 40), st.integers(1, 5), st.data())
def test_every_vertex_of_the_part_once(count, leaf, data):
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    neighbours = graph(count, data.draw(st.lists(pair, max_size=80)))
    part = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    groups = dissect(neighbours, part, leaf)
    assert sorted(v for g in groups for v in g) == sorted(part)
    assert all(groups)


def test_a_cut_separates():
    edges = grid(9)
    neighbours = graph(81, edges.tolist())
    levels = breadth_first(neighbours, 0, set(range(81)))
    cut, after = thin_level(neighbours, levels)
    before = set(range(81)) - cut - after
    assert not any(neighbours[v] & after for v in before)
    assert len(before) > 10 and len(after) > 10 and len(cut) <= 9


def test_a_path_is_cut_in_the_middle():
    neighbours = graph(41, [(k, k + 1) for k in range(40)])
    groups = dissect(neighbours, set(range(41)), 10)
    assert groups[-1] == [20]
    assert [len(g) for g in groups if len(g) > 1] == [10] * 2 + [9] * 2 or max(map(len, groups)) <= 10


def test_a_dense_graph_is_one_group_and_a_star_is_cut_at_its_centre():
    full = graph(30, [(i, j) for i in range(30) for j in range(i)])
    assert dissect(full, set(range(30)), 5) == [list(range(30))]
    star = graph(100, [(0, k) for k in range(1, 100)])
    assert [0] in dissect(star, set(range(100)), 5)


def test_a_grid_fills_far_less_than_its_band():
    n = 40
    edges = grid(n)
    groups = dissect(graph(n * n, edges.tolist()), set(range(n * n)))
    dissected = Elimination(groups, edges, 1).total
    band = Elimination([[v] for v in range(n * n)], edges, 1).total
    assert dissected < 0.75 * band
    assert max(map(len, groups)) <= n


def test_a_vertex_with_few_neighbours_is_the_far_one():
    """All pairs of 30 but one: cut between these two, not taken as dense."""
    pairs = {(i, j) for i in range(30) for j in range(i)} - {(29, 28)}
    groups = dissect(graph(30, pairs), set(range(30)), 5)
    assert sorted(map(len, groups)) == [1, 1, 28] and len(groups[-1]) == 28


def test_the_thin_place_is_cut():
    """Two grids joined by a path: the path, though it is not the middle."""
    large = grid(12).tolist()
    small = (grid(6) + 150).tolist()
    path = [(143, 144), (144, 145), (145, 150)]
    neighbours = graph(186, large + small + path)
    part = set(range(146)) | set(range(150, 186))
    assert dissect(neighbours, part)[-1][0] in (143, 144, 145, 150)
    assert len(dissect(neighbours, part)[-1]) == 1


def test_what_touches_nothing_beyond_stays_out_of_the_cut():
    """A path with a twig at each vertex: the twigs are not in the cut."""
    path = [(k, k + 1) for k in range(40)] + [(k, 50 + k) for k in range(41)]
    part = set(range(41)) | set(range(50, 91))
    assert len(dissect(graph(91, path), part)[-1]) == 1


def test_components_need_no_cut():
    two = [(k, k + 1) for k in range(9)] + [(k, k + 1) for k in range(10, 19)]
    groups = dissect(graph(20, two), set(range(20)), 10)
    assert sorted(groups) == [list(range(10)), list(range(10, 20))]
