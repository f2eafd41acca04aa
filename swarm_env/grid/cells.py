"""Cells of a map as (row, column), and the four ways from one to the next."""

from typing import Final

Cell = tuple[int, int]

VECTORS: Final[dict[str, Cell]] = {"UP": (-1, 0), "DOWN": (1, 0), "LEFT": (0, -1), "RIGHT": (0, 1)}
"""What a step adds to row and column, by the name of the action."""

STAY: Final = "STAY"
"""The action of an agent that takes no step."""


def after(cell: Cell, step: Cell) -> Cell:
    """Return the cell to which a step leads."""
    return cell[0] + step[0], cell[1] + step[1]


def neighbours(cell: Cell) -> list[Cell]:
    """List the four cells next to a cell: above, below, left, right."""
    return [after(cell, step) for step in VECTORS.values()]


def distance(cell: Cell, other: Cell) -> int:
    """Return the L1 distance: the steps from one cell to another."""
    return abs(cell[0] - other[0]) + abs(cell[1] - other[1])
