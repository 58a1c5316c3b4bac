"""Solve sparse symmetric equations, one small dense group after another."""

import numpy as np


class Elimination:
    """Where each number of H x = b goes: planned once, used for any values.

    groups: vertices in order of elimination, as from dissect; a vertex in
    none is held fixed. edges: [M, 2], the pairs with a block in H. dim:
    unknowns a vertex. A group's rows are one dense array: its own columns,
    those of later vertices that it touches, and b. x is in `order`.
    """

    def __init__(self, groups: list, edges: np.ndarray, dim: int = 6):
        size = np.array([len(group) for group in groups])
        self.order = np.concatenate([np.array(g, int) for g in groups])
        count, end = len(self.order), np.cumsum(size)
        rank = np.full(1 + max(self.order.max(), edges.max(initial=0)), -1)
        rank[self.order] = np.arange(count)
        ends = rank[edges]
        owner = np.repeat(np.arange(len(groups) + 1), np.append(size, 1))

        # --8<-- [start:fill]
        touched = [set() for _ in groups]
        for low, high in np.sort(ends[(ends >= 0).all(1)]).tolist():
            touched[owner[low]].add(high)
        later = []
        for k, reached in enumerate(touched):
            later.append(sorted(v for v in reached if v >= end[k]))
            if later[k]:  # they now touch one another: fill-in
                touched[owner[later[k][0]]].update(later[k])
        # --8<-- [end:fill]

        columns = [
            np.array([*range(e - n, e), *after, count])
            for n, e, after in zip(size, end, later, strict=True)
        ]
        width = np.array([dim * len(c) - dim + 1 for c in columns])
        stop = np.cumsum(dim * size * width)
        self.total = stop[-1]
        first = np.cumsum([0] + [len(c) for c in columns])
        keys = [k * (count + 1) + c for k, c in enumerate(columns)]
        keys, six = np.concatenate(keys), np.arange(dim)

        def begin(row):
            """Where the `dim` rows of each vertex begin, [..., dim]."""
            k = owner[row]
            at = stop[k] - dim * (end[k] - row) * width[k]
            return at[..., None] + width[k][..., None] * six

        def along(k, column):
            """Where in group k's rows the columns are; b, the last, is one."""
            at = np.searchsorted(keys, k * (count + 1) + column) - first[k]
            at = (dim * at[..., None] + six).reshape(*at.shape[:-1], -1)
            return at[..., : at.shape[-1] - dim + 1]

        row = np.arange(count)
        own = along(owner[row, None], np.stack([row, row * 0 + count], 1))
        self.diagonal = (begin(row) + own[:, :dim]).ravel()
        self.right = (begin(row) + own[:, dim:]).ravel()
        row, column = ends[:, :, None], np.full((len(ends), 1, 3), count)
        column[:, 0, :2] = ends
        known = (row >= 0) & (column >= 0) & (owner[row] <= owner[column])
        row = np.maximum(row, 0)
        at = begin(row[..., 0])[..., None]
        at = at + along(owner[row], column)[:, :, None]
        known = known.repeat(dim, axis=2)[:, :, None, : 2 * dim + 1]
        self.index = np.where(known, at, self.total).ravel()

        self.fronts = []
        for k, c in enumerate(columns):
            after, updates = c[size[k] :], []
            cuts = np.flatnonzero(np.diff(owner[after], prepend=-1))
            for x, y in zip(cuts[:-1], cuts[1:], strict=True):
                to = begin(after[x:y]).reshape(-1, 1)
                to = to + along(owner[after[x]], after[x:])
                updates.append((dim * x, dim * y, to))
            here = (dim * c[:-1, None] + six).ravel()
            n = dim * size[k]
            self.fronts.append((stop[k] - n * width[k], n, here, updates))

    # --8<-- [start:solve]
    def assemble(self, blocks: np.ndarray) -> np.ndarray:
        """Add up every edge's [2 dim, 2 dim + 1] part of [H, b]."""
        return np.bincount(self.index, blocks.ravel(), self.total + 1)

    def solve(self, system: np.ndarray) -> np.ndarray:
        """Solve for x, [count * dim], group by group, then backwards."""
        system, done = system.copy(), []
        for start, n, here, updates in self.fronts:
            stop = start + n * (len(here) + 1)
            F = system[start:stop].reshape(n, -1)
            X = np.linalg.solve(F[:, :n], F[:, n:])
            for x, y, to in updates:
                system[to] -= F[:, n + x : n + y].T @ X[:, x:]
            done.append(X)
        x = np.empty(len(self.right))
        for (_, n, here, _), X in zip(
            self.fronts[::-1], done[::-1], strict=True
        ):
            x[here[:n]] = X[:, -1] - X[:, :-1] @ x[here[n:]]
        return x
        # --8<-- [end:solve]
