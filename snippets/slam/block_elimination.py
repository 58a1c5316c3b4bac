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
        width = np.array([dim * (len(c) - 1) + 1 for c in columns])
        stop = np.cumsum(dim * size * width)
        first = np.cumsum([0] + [len(c) for c in columns])
        keys = np.concatenate(
            [k * (count + 1) + c for k, c in enumerate(columns)]
        )
        six = np.arange(dim)
        self.total = stop[-1]

        def cells(row, column):
            """Positions of the blocks [..., R] x [..., C]; C ends with b."""
            row, column = np.broadcast_arrays(
                row[..., :, None], column[..., None, :]
            )
            known = (row >= 0) & (column >= 0) & (owner[row] <= owner[column])
            k = np.where(known, owner[row], 0)
            at = np.searchsorted(keys, k * (count + 1) + column) - first[k]
            at = stop[k] - dim * (end[k] - row) * width[k] + dim * at
            at = at[..., None, None] + width[k][..., None, None] * six[:, None]
            at = np.where(known[..., None, None], at + six, self.total)
            at = np.moveaxis(at, -2, -3)
            *batch, r, _, c, _ = at.shape
            return at.reshape(*batch, r * dim, c * dim)[..., : 1 - dim or None]

        rows, b = np.arange(count)[:, None], np.full((count, 1), count)
        own = cells(rows, np.hstack([rows, b]))
        self.diagonal, self.right = (
            own[:, six, six].ravel(),
            own[..., -1].ravel(),
        )
        b = np.full((len(ends), 1), count)
        self.index = cells(ends, np.hstack([ends, b])).ravel()
        self.fronts = []
        for k, c in enumerate(columns):
            after, updates = c[size[k] :], []
            cuts = np.flatnonzero(np.diff(owner[after], prepend=-1))
            for x, y in zip(cuts[:-1], cuts[1:], strict=True):
                to = cells(after[x:y], after[x:])
                updates.append((dim * x, dim * y, to))
            here = (dim * c[:-1, None] + six).ravel()
            start = stop[k] - dim * size[k] * width[k]
            self.fronts.append((start, stop[k], dim * size[k], here, updates))

    # --8<-- [start:solve]
    def assemble(self, blocks: np.ndarray) -> np.ndarray:
        """Add up every edge's [2 dim, 2 dim + 1] part of [H, b]."""
        return np.bincount(self.index, blocks.ravel(), self.total + 1)

    def solve(self, system: np.ndarray) -> np.ndarray:
        """Solve for x, [count * dim], group by group, then backwards."""
        system, done = system.copy(), []
        for start, stop, n, _, updates in self.fronts:
            F = system[start:stop].reshape(n, -1)
            X = np.linalg.solve(F[:, :n], F[:, n:])
            for x, y, to in updates:
                system[to] -= F[:, n + x : n + y].T @ X[:, x:]
            done.append(X)
        x = np.empty(len(self.right))
        for (*_, n, here, _), X in zip(
            self.fronts[::-1], done[::-1], strict=True
        ):
            x[here[:n]] = X[:, -1] - X[:, :-1] @ x[here[n:]]
        return x
        # --8<-- [end:solve]
