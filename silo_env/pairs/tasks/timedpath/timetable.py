"""Walks against the clock: cells that are closed at some ticks, steps and waits."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from coordgym.silo_env.pairs.grids.cells import WALL, Rows, open_moves
from coordgym.silo_env.pairs.grids.paths import Moves, Walk, distances_to
from coordgym.silo_env.pairs.grids.schemes import Cell


class Closure(NamedTuple):
    """A cell and the first and last tick at which it may not be occupied."""

    row: int
    column: int
    first: int
    last: int


class Timetable:
    """Which cells are open when, and how long the way to the goal is from each of them.

    Args:
        grid: The floor; "#" is a wall.
        goal: Where the walk ends.
        closures: When which cells are closed.
    """

    def __init__(self, grid: Rows, goal: Cell, closures: Sequence[Closure]) -> None:
        self.moves: Moves[Cell] = open_moves(grid)
        self.goal = goal
        self._closed = {
            ((closure.row, closure.column), tick)
            for closure in closures
            for tick in range(closure.first, closure.last + 1)
        }
        self._horizon = max((closure.last for closure in closures), default=0) + 1
        self._remaining = [distances_to(goal, self.moves)]
        for tick in range(self._horizon - 1, -1, -1):
            self._remaining.append(self._before(tick, self._remaining[-1]))
        self._remaining.reverse()

    def remaining(self, cell: Cell, tick: int) -> int | None:
        """Return the ticks to the goal; None if the cell is closed, no floor or cut off from it."""
        return self._remaining[min(tick, self._horizon)].get(cell)

    def next_cells(self, cell: Cell) -> list[Cell]:
        """Return the cells that a step or a wait leads to, sorted."""
        return sorted((cell, *self.moves[cell]))

    def walk(self, cells: Sequence[Cell]) -> Walk:
        """Follow cells, one per tick from tick 0, up to the first illegal one or the goal."""
        position, tick = cells[0], 0
        optimal = left = self.remaining(position, 0) or 0
        for cell in cells[1:]:
            ahead = self.remaining(cell, tick + 1)
            if cell not in (position, *self.moves[position]) or ahead is None:
                break
            position, tick, left = cell, tick + 1, ahead
            if left == 0:
                break
        return Walk(tick, left, optimal)

    def _before(self, tick: int, later: Mapping[Cell, int]) -> dict[Cell, int]:
        remaining: dict[Cell, int] = {}
        for cell, near in self.moves.items():
            if (cell, tick) in self._closed:
                continue
            if cell == self.goal:
                remaining[cell] = 0
                continue
            ways = [later[other] for other in (cell, *near) if other in later]
            if ways:
                remaining[cell] = 1 + min(ways)
        return remaining


@lru_cache(maxsize=16)
def timetable(grid: Rows, goal: Cell, closures: tuple[Closure, ...]) -> Timetable:
    """Return the timetable of a floor; the latest are kept, since many walks are graded on one."""
    return Timetable(grid, goal, closures)


def earliest_arrival(
    grid: Rows, start: Cell, goal: Cell, closures: Sequence[Closure]
) -> int | None:
    """Return the first tick at which the goal can be reached, None if it never can.

    The cells that can be occupied at a tick are the bits of one integer, so that generators can
    try many floors.
    """
    height, width = len(grid), len(grid[0])

    def bit(row: int, column: int) -> int:
        return 1 << (row * width + column)

    floor = sum(
        bit(row, column)
        for row, line in enumerate(grid)
        for column, symbol in enumerate(line)
        if symbol != WALL
    )
    not_first = ~sum(bit(row, 0) for row in range(height))
    not_last = ~sum(bit(row, width - 1) for row in range(height))
    closed: dict[int, int] = {}
    for row, column, first, last in closures:
        for tick in range(first, last + 1):
            closed[tick] = closed.get(tick, 0) | bit(row, column)
    occupied, target = bit(*start) & ~closed.get(0, 0), bit(*goal)
    for tick in range(max(closed, default=0) + height * width + 2):
        if occupied & target:
            return tick
        spread = occupied | occupied << width | occupied >> width
        spread |= (occupied << 1) & not_first | (occupied >> 1) & not_last
        occupied = spread & floor & ~closed.get(tick + 1, 0)
    return None
