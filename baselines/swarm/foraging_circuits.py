"""Two lanes through a foraging maze: one for agents that carry food, one for those that return.

Head-on agents block each other, and an opening is only a few cells wide. One lane is a shortest
way, the other a shortest one that shares as few cells with it as can be. (The pair that is
shortest in sum, found by a flow, delivered less in trials: its lanes have more corners.)
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise, permutations, product
from operator import itemgetter
from typing import Final, NamedTuple

from coordgym.swarm_env.grid.cells import VECTORS, Cell, neighbours
from coordgym.swarm_env.tasks.foraging import FOOD, NEST, Layout, maze

_SHARED: Final = 4.0
"""How many cells of detour it is worth not to share a cell with the other lane."""
_ORDERS: Final = tuple(permutations(VECTORS.values()))[::5]
"""Orders in which the neighbours of a cell are tried; each breaks ties among ways differently."""


class Circuit(NamedTuple):
    """Where agents walk to and fro.

    Attributes:
        to_nest: Cells from the food to the nest, both ends included.
        to_food: Cells from the nest to the food.
    """

    to_nest: tuple[Cell, ...]
    to_food: tuple[Cell, ...]


@lru_cache(maxsize=64)
def mazes(height: int, width: int) -> tuple[tuple[str, ...], ...]:
    """List all mazes of a size, as rows of letters."""
    layouts = (Layout(*flags) for flags in product((True, False), repeat=3))
    grids = (maze(height, width, layout) for layout in layouts)
    return tuple(dict.fromkeys(tuple("".join(row) for row in grid) for grid in grids))


def letters(grid: Collection[str]) -> dict[Cell, str]:
    """Return the letter of each cell of a grid."""
    return {(i, j): letter for i, row in enumerate(grid) for j, letter in enumerate(row)}


def sides(cells: Mapping[Cell, str], letter: str) -> list[Cell]:
    """List the empty cells next to a letter."""
    found = (near for cell, here in cells.items() if here == letter for near in neighbours(cell))
    return sorted({near for near in found if cells.get(near) == "."})


@lru_cache(maxsize=64)
def circuit(grid: tuple[str, ...]) -> Circuit:
    """Find the shortest pair of lanes found for a maze; a pure function."""
    cells = letters(grid)
    found = []
    for start, end in product(sides(cells, FOOD), sides(cells, NEST)):
        for order in _ORDERS:
            one = _shortest(cells, start, end, frozenset(), order)
            other = _shortest(cells, start, end, frozenset(one[1:-1]), order)
            shared = set(one[1:-1]) & set(other)
            for there, back in ((one, other), (other, one)):
                lanes = Circuit(there, back[::-1])
                cost = len(one) + len(other) + _SHARED * len(shared) + _shoves(lanes) / 10
                found.append((cost, lanes))
    return min(found, key=itemgetter(0))[1]


def _shortest(
    cells: Mapping[Cell, str],
    start: Cell,
    end: Cell,
    avoided: Collection[Cell],
    order: Collection[Cell],
) -> tuple[Cell, ...]:
    """Find a shortest way over empty cells on which the avoided ones count more."""
    cost = {start: 0.0}
    before: dict[Cell, Cell] = {}
    queue = [(0.0, 0, start)]
    pushed = 0
    while queue:
        so_far, _, cell = heappop(queue)
        if cell == end:
            break
        if so_far > cost[cell]:
            continue
        for i, j in order:
            near = cell[0] + i, cell[1] + j
            if cells.get(near) != ".":
                continue
            total = so_far + 1 + _SHARED * (near in avoided)
            if total < cost.get(near, float("inf")):
                cost[near], before[near] = total, cell
                pushed += 1
                heappush(queue, (total, pushed, near))
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _shoves(lanes: Circuit) -> int:
    """Count the corners at which who follows closely shoves the one before off the lane.

    That happens where the pass of the step into the corner comes before that of the step out.
    """
    passes = list(VECTORS.values())
    loop = [*lanes.to_nest, *lanes.to_food[1:]]
    steps = [passes.index((to[0] - cell[0], to[1] - cell[1])) for cell, to in pairwise(loop)]
    return sum(into < out for into, out in pairwise([*steps, steps[0]]))
