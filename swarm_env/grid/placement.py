"""Drawing a start: border walls and agents on free cells."""

from collections.abc import Iterable, Sequence

import numpy as np

from coordgym.errors import ConfigError


def bordered_grid(height: int, width: int) -> list[list[str]]:
    """Return rows of letters: a ring of walls around empty cells."""
    edge = ["W"] * width
    inner = ["W", *"." * (width - 2), "W"]
    return [edge.copy(), *(inner.copy() for _ in range(height - 2)), edge.copy()]


def wall_object(grid: Sequence[Sequence[str]]) -> dict[str, object]:
    """Return walls and nest of a grid as the one static object that they form."""
    rows = ["".join(c if c in "WN" else "." for c in row) for row in grid]
    return {"kind": "W", "pos": [0, 0], "shape": rows, "static": True}


def place_agents(
    count: int,
    rows: range,
    columns: range,
    taken: Iterable[tuple[int, int]],
    rng: np.random.Generator,
) -> list[tuple[int, int]]:
    """Draw a free cell for each agent in turn.

    Args:
        count: Number of agents.
        rows: Allowed rows.
        columns: Allowed columns.
        taken: Cells that are not free.
        rng: For each try the column is drawn first, then the row.

    Raises:
        ConfigError: If there are fewer free cells than agents.
    """
    used = set(taken)
    free = len(rows) * len(columns) - sum(i in rows and j in columns for i, j in used)
    if free < count:
        raise ConfigError(
            f"n_agents must be at most {max(free, 0)} on this map (free cells in rows "
            f"{rows.start}..{rows.stop - 1}, columns {columns.start}..{columns.stop - 1}), "
            f"got {count}"
        )
    placed: list[tuple[int, int]] = []
    while len(placed) < count:
        column = int(rng.integers(columns.start, columns.stop))
        row = int(rng.integers(rows.start, rows.stop))
        if (row, column) not in used:
            used.add((row, column))
            placed.append((row, column))
    return placed
