"""Wires on a square board: paths between terminals that share no cell."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from coordgym.silo_env.pairs.grids.cells import neighbours
from coordgym.silo_env.pairs.grids.schemes import Cell

SEARCH_LIMIT = 20_000
"""Cells that one search for a solution may enter."""


def grow_path(
    n: int, used: set[Cell], min_cells: int, rng: np.random.Generator
) -> list[Cell] | None:
    """Grow one induced path through unused cells; None if it gets stuck too short."""
    around = neighbours(n, n)
    free = [cell for cell in around if cell not in used]
    if not free:
        return None
    path = [free[int(rng.integers(len(free)))]]
    length = int(rng.integers(min_cells, n + 2))
    while len(path) < length:
        earlier = set(path[:-1])
        ahead = [
            cell
            for cell in around[path[-1]]
            if cell not in used and cell not in path and not earlier & set(around[cell])
        ]
        if not ahead:
            break
        path.append(ahead[int(rng.integers(len(ahead)))])
    return path if len(path) >= min_cells else None


def joint_paths(
    n: int, wires: Sequence[tuple[Cell, Cell]], blocked: Sequence[Cell]
) -> Iterator[list[list[Cell]]]:
    """Yield all ways to join all wires, in lexicographic order; the search is bounded."""
    around = neighbours(n, n)
    taken = set(blocked) | {cell for pair in wires for cell in pair}
    budget = SEARCH_LIMIT
    done: list[list[Cell]] = []

    def extend(index: int, path: list[Cell]) -> Iterator[list[list[Cell]]]:
        nonlocal budget
        goal = wires[index][1]
        for cell in around[path[-1]]:
            budget -= 1
            if budget < 0:
                return
            if cell == goal:
                done.append([*path, cell])
                if index + 1 == len(wires):
                    yield list(done)
                else:
                    yield from extend(index + 1, [wires[index + 1][0]])
                done.pop()
            elif cell not in taken:
                taken.add(cell)
                yield from extend(index, [*path, cell])
                taken.remove(cell)

    yield from extend(0, [wires[0][0]])


def joins(
    n: int, path: Sequence[Cell | None], ends: tuple[Cell, Cell], closed: Collection[Cell]
) -> bool:
    """Tell whether a path joins two terminals, either way, without any closed cell."""
    if len(path) < 2 or (path[0], path[-1]) not in (ends, ends[::-1]):
        return False
    around = neighbours(n, n)
    return (
        len(set(path)) == len(path)
        and not set(closed) & set(path)
        and all(a is not None and b in around.get(a, ()) for a, b in pairwise(path))
    )


def largest_disjoint(wires: Sequence[frozenset[Cell]]) -> int:
    """Return the size of the largest set of wires that share no cell."""
    for size in range(len(wires), 1, -1):
        for chosen in combinations(wires, size):
            if len(frozenset().union(*chosen)) == sum(map(len, chosen)):
                return size
    return min(1, len(wires))
