"""Reading single fields of a world's state, for the world and for what tasks keep in it."""

from typing import Any, Final

from coordgym.errors import InstanceError
from coordgym.swarm_env.grid.cells import Cell
from coordgym.swarm_env.grid.physics import STRIDE

_FARTHEST: Final = STRIDE // 4  # far enough from the coding's bound for any episode


def read_int(name: str, value: Any, low: int, high: int) -> int:
    """Return an int of a range.

    Raises:
        InstanceError: If it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InstanceError(f"{name} must be an integer in {low}..{high}, got {value!r:.40}")
    return value


def read_bool(name: str, value: Any) -> bool:
    """Return a truth value.

    Raises:
        InstanceError: If it is none.
    """
    if not isinstance(value, bool):
        raise InstanceError(f"{name} must be true or false, got {value!r:.40}")
    return value


def read_number(name: str, value: Any) -> float | None:
    """Return a finite number, or None for none.

    Raises:
        InstanceError: If it is something else.
    """
    if value is None:
        return None
    finite = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not finite or value != value or abs(value) == float("inf"):
        raise InstanceError(f"{name} must be a finite number, got {value!r:.40}")
    return float(value)


def read_cell(name: str, value: Any) -> Cell:
    """Return a cell, which may lie outside the map.

    Raises:
        InstanceError: If it is none, or too far away.
    """
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise InstanceError(f"{name} must be [row, column]")
    row, column = (read_int(name, each, -_FARTHEST, _FARTHEST) for each in value)
    return row, column
