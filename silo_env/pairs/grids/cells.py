"""Grids as tuples of strings: neighbours, splits over two views, masks, checks."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.grids.paths import Moves
from coordgym.silo_env.pairs.grids.schemes import Cell

Rows = tuple[str, ...]
"""The rows of a grid from top to bottom, one character per cell."""

START, GOAL, OPEN, WALL = "@", "*", ".", "#"
"""How drawings show the ends of a walk, an open and a closed cell."""
HIDDEN = "?"
BOTH = "b"
"""The owner of a cell that both views show; the others belong to "1" or "2"."""


@lru_cache(maxsize=64)
def neighbours(height: int, width: int) -> Mapping[Cell, tuple[Cell, ...]]:
    """Return the cells above, left, right and below each cell of a grid."""
    return {
        (row, column): tuple(
            (r, c)
            for r, c in (
                (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column),
            )
            if 0 <= r < height and 0 <= c < width
        )
        for row in range(height)
        for column in range(width)
    }  # fmt: skip


def open_moves(grid: Rows, wall: str = WALL) -> Moves[Cell]:
    """Return the moves between neighbouring cells that are no wall."""
    around = neighbours(len(grid), len(grid[0]))
    free = {
        (row, column)
        for row, line in enumerate(grid)
        for column, symbol in enumerate(line)
        if symbol != wall
    }
    return {cell: tuple(near for near in around[cell] if near in free) for cell in sorted(free)}


def split_cells(height: int, width: int, shared: Sequence[Cell], rng: np.random.Generator) -> Rows:
    """Deal every cell but the shared ones to one of the views, half each."""
    owners = iter(balanced_owners(height * width - len(set(shared)), rng))
    return tuple(
        "".join(BOTH if (row, column) in shared else next(owners) for column in range(width))
        for row in range(height)
    )


def mask(grid: Rows, owner: Rows, view: int) -> Rows:
    """Hide the cells of the other view."""
    visible = (BOTH, str(view))
    return tuple(
        "".join(
            symbol if whose in visible else HIDDEN
            for symbol, whose in zip(line, owners, strict=True)
        )
        for line, owners in zip(grid, owner, strict=True)
    )


def overlay(grids: Sequence[Rows]) -> Rows | None:
    """Lay partly hidden grids over each other; None if their sizes or symbols disagree."""
    first = grids[0]
    if any([len(line) for line in grid] != [len(line) for line in first] for grid in grids):
        return None
    lines: list[str] = []
    for same_line in zip(*grids, strict=True):
        symbols = [set(column) - {HIDDEN} for column in zip(*same_line, strict=True)]
        if any(len(known) > 1 for known in symbols):
            return None
        lines.append("".join(known.pop() if known else HIDDEN for known in symbols))
    return tuple(lines)


def fill(grid: Rows, symbols: Sequence[str]) -> Rows:
    """Replace the hidden cells, row by row, with the given symbols."""
    supply = iter(symbols)
    return tuple(
        "".join(next(supply) if symbol == HIDDEN else symbol for symbol in line) for line in grid
    )


def find(grid: Rows, symbol: str) -> Cell | None:
    """Find the first cell that shows the symbol, or None."""
    for row, line in enumerate(grid):
        if (column := line.find(symbol)) >= 0:
            return row, column
    return None


def set_cells(grid: Rows, symbols: Mapping[Cell, str]) -> Rows:
    """Return the grid with some cells replaced."""
    return tuple(
        "".join(symbols.get((row, column), symbol) for column, symbol in enumerate(line))
        for row, line in enumerate(grid)
    )


def random_walls(height: int, width: int, rate: float, rng: np.random.Generator) -> Rows:
    """Return open cells, each of which is a wall with the given chance."""
    walls = rng.random((height, width)) < rate
    return tuple("".join(WALL if wall else OPEN for wall in line) for line in walls)


def hidden_wall_rate(drawn: str) -> float:
    """Estimate how often a hidden cell is a wall, judged by the visible ones.

    One more of each kind is counted, so that a view without walls promises nothing.
    """
    walls, paths = drawn.count(WALL), drawn.count(OPEN)
    return (walls + 1) / (walls + paths + 2)


def corners(grid: Rows) -> tuple[Cell, Cell]:
    """Return the first and the last cell of a grid."""
    return (0, 0), (len(grid) - 1, len(grid[0]) - 1)


def shared_by_both(grid: Rows) -> Rows:
    """Return the owners of a grid that is hidden from nobody."""
    return tuple(BOTH * len(line) for line in grid)


def grid_fault(
    name: str, rows: Rows, alphabet: str, shape: tuple[int, int] | None = None
) -> str | None:
    """Say why rows are no grid over an alphabet, of 2..50 rows and columns or the asked shape."""
    if not 2 <= len(rows) <= 50 or not 2 <= len(rows[0]) <= 50:
        return f"{name} must have 2..50 rows and columns"
    if len({len(line) for line in rows}) > 1:
        return f"{name} must have rows of one length"
    if not set("".join(rows)) <= set(alphabet):
        return f"{name} may only use the characters {alphabet!r:.100}"
    if shape is not None and (len(rows), len(rows[0])) != shape:
        return f"{name} must have {shape[0]} rows of {shape[1]} characters"
    return None


def cells_fault(grid: Rows, **cells: Cell) -> str | None:
    """Say which cell, named as the field of the instance, lies outside of a grid."""
    height, width = len(grid), len(grid[0])
    for name, (row, column) in cells.items():
        if not (0 <= row < height and 0 <= column < width):
            return f"{name} must lie inside the grid"
    return None


def split_fault(grid: Rows, owner: Rows, alphabet: str, **cells: Cell) -> str | None:
    """Say why a grid, its owners and some cells of it, named as fields, don't fit together."""
    return (
        grid_fault("grid", grid, alphabet)
        or grid_fault("owner", owner, f"12{BOTH}", shape=(len(grid), len(grid[0])))
        or cells_fault(grid, **cells)
    )


def shared_fault(owner: Rows, **cells: Cell) -> str | None:
    """Say that not both views show some cells, named as the fields of the instance."""
    if any(owner[row][column] != BOTH for row, column in cells.values()):
        return f"owner must be 'b' at {' and '.join(cells)}"
    return None
