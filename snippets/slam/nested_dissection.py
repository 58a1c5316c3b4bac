"""In which order to eliminate: cut the graph in two, and its halves again."""


def breadth_first(neighbours: list, start: int, part: set) -> list[list]:
    """The vertices of part that are 0, 1, 2 … steps away from start."""
    unseen, levels = part - {start}, [[start]]
    while levels[-1]:
        levels.append([])
        for vertex in levels[-2]:
            found = [v for v in neighbours[vertex] if v in unseen]
            levels[-1] += found
            unseen.difference_update(found)
    return levels[:-1]


# --8<-- [start:dissect]
def dissect(neighbours: list, part: set, leaf: int = 18) -> list[list[int]]:
    """Split the vertices of part into groups, in order of elimination.

    neighbours[v]: the set of v's neighbours. Breadth-first levels from a
    far vertex; one thin level is the cut. What lies before it and after it
    does not touch, so each goes first, cut again down to `leaf` vertices
    (George and Liu, SIAM J. Numer. Anal. 15, 1978).
    """
    groups, parts = [], [part]
    while parts:
        part = parts.pop()
        far = min(part)
        for _ in range(2 if len(part) > leaf else 0):
            levels = breadth_first(neighbours, far, part)
            far = min(levels[-1], key=lambda v: len(neighbours[v]))
        if len(part) <= leaf:
            groups.append(sorted(part))
        elif len(found := set().union(*levels)) < len(part):
            parts += [part - found, found]
        elif len(levels) < 3:
            groups.append(sorted(part))
        else:
            cut, after = thin_level(neighbours, levels)
            groups.append(sorted(cut))
            parts += [part - after - cut, after]
    return groups[::-1]


def thin_level(neighbours: list, levels: list[list]) -> tuple[set, set]:
    """A cut with few vertices and much on its smaller side; what is after."""
    sizes = [len(level) for level in levels]
    sides = [
        min(sum(sizes[:k]), sum(sizes[k + 1 :])) for k in range(len(sizes))
    ]
    k = min(range(1, len(levels) - 1), key=lambda k: sizes[k] / sides[k])
    after = set().union(*levels[k + 1 :])
    return {v for v in levels[k] if not after.isdisjoint(neighbours[v])}, after
    # --8<-- [end:dissect]
