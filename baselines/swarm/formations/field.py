"""Where a prey runs to and where it reappears, from all cells of a map at once.

The same rules as in ``coordgym.swarm_env.tasks.pursuit`` (default rule set) on an empty bordered
map, for agents that hold still: a search for formations asks them some thousand times.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from coordgym.swarm_env.grid.cells import Cell
from coordgym.swarm_env.tasks.pursuit import (
    AGENT_THREAT,
    FLIGHT_STEPS,
    SIGHT_AHEAD,
    SIGHT_BACK,
    WALL_THREAT,
)

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Shares = np.ndarray[Any, np.dtype[np.float64]]

_MARGIN: Final = 2  # cells around the map in flat arrays: two steps never leave them
_FAR: Final = 1 << 40  # threat of what can't be entered
_CERTAIN: Final = 1e-6  # probability below which an event is left out


class Field:
    """An empty map within a ring of walls.

    Cells have numbers: their places in a flat array of the map with a margin around it.

    Args:
        height: Rows of the map.
        width: Columns of the map.

    Attributes:
        height: Rows of the map.
        width: Columns of the map.
        row: Length of a row of the flat array, what is added to go down by one cell.
        cells: The numbers of all cells within the walls, by rows.
        parity: Row + column of each number modulo 2.
        size: Length of the flat arrays.
    """

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width
        self.row = width + 2 * _MARGIN
        self.size = self.row * (height + 2 * _MARGIN)
        inside = [(i, j) for i in range(1, height - 1) for j in range(1, width - 1)]
        self.cells: Numbers = np.array([self.number(cell) for cell in inside], np.int64)
        self.parity: Numbers = (
            np.add.outer(np.arange(height + 2 * _MARGIN), np.arange(self.row)).ravel() % 2
        )
        self._inside: Flags = np.zeros(self.size, bool)
        self._inside[self.cells] = True
        steps = [i * self.row + j for i, j in FLIGHT_STEPS]
        ways = [(one, one + two) for one in steps for two in steps if one + two]
        self._first: Numbers = self.cells[None] + np.array([one for one, _ in ways])[:, None]
        self._end: Numbers = self.cells[None] + np.array([end for _, end in ways])[:, None]
        walls = np.ones((height, width), np.int64)
        walls[1:-1, 1:-1] = 0
        self._wall_threat = WALL_THREAT * self._in_sight(walls)

    def number(self, cell: Cell) -> int:
        """Return the number of a cell."""
        return (cell[0] + _MARGIN) * self.row + cell[1] + _MARGIN

    def cell(self, number: int) -> Cell:
        """Return row and column of a number: undo ``number``."""
        row, column = divmod(int(number), self.row)
        return row - _MARGIN, column - _MARGIN

    def is_inside(self, number: int) -> bool:
        """Tell whether a number is that of a cell within the walls."""
        return bool(self._inside[number])

    def neighbours(self, number: int) -> tuple[int, int, int, int]:
        """Return the numbers of the cells above, below, left and right."""
        return number - self.row, number + self.row, number - 1, number + 1

    def free(self, slots: Sequence[int]) -> Flags:
        """Tell of each number whether it is a cell within the walls without an agent."""
        free = self._inside.copy()
        free[list(slots)] = False
        return free

    def threat(self, slots: Sequence[int]) -> Numbers:
        """Return the threat of each number to the prey, in tenths; 0 outside the walls."""
        agents = np.zeros(self.size, np.int64)
        agents[list(slots)] = 1
        shape = self.height + 2 * _MARGIN, self.row
        on_map = agents.reshape(shape)[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
        return self._wall_threat + AGENT_THREAT * self._in_sight(on_map)

    def _in_sight(self, counts: Numbers) -> Numbers:
        """Sum what the prey sees from each cell, as a flat array with margins."""
        sums = np.zeros((self.height + 8, self.width + 8), np.int64)
        sums[SIGHT_BACK + 1 : -SIGHT_AHEAD, SIGHT_BACK + 1 : -SIGHT_AHEAD] = counts
        sums = sums.cumsum(0).cumsum(1)
        side = SIGHT_BACK + SIGHT_AHEAD + 1
        seen = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side]
        seen += sums[:-side, :-side]
        flat = np.zeros((self.height + 2 * _MARGIN, self.row), np.int64)
        flat[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN] = seen
        return flat.ravel()

    def flights(self, free: Flags, threat: Numbers) -> Numbers:
        """Return the number at which the prey is a round later, from each number."""
        danger = np.where(free, threat, _FAR)
        ends = np.where(free[self._first], danger[self._end], _FAR)
        best = ends.argmin(0)  # the first of equals, as the prey chooses
        at = np.arange(len(self.cells))
        goes = np.arange(self.size)
        goes[self.cells] = np.where(ends[best, at] < _FAR, self._end[best, at], self.cells)
        return goes

    def refuges(self, free: Flags, threat: Numbers) -> Shares:
        """Return the probability that a caught prey reappears at each number."""
        cells = np.flatnonzero(free)
        _, group, sizes = np.unique(threat[cells], return_inverse=True, return_counts=True)
        draws = self.height * self.width
        missed = (1 - sizes.cumsum() / len(cells)) ** draws  # no draw up to this level
        chances = np.concatenate(([1.0], missed[:-1])) - missed
        chances[chances < _CERTAIN] = 0.0
        shares = np.zeros(self.size)
        shares[cells] = (chances / sizes)[group]
        return shares


@lru_cache(maxsize=16)
def field(height: int, width: int) -> Field:
    """Return the field of a size."""
    return Field(height, width)
