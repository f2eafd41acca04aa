"""What never moves on a map: drawn once, its walls counted once."""

from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate
from typing import Final

from coordgym.swarm_env.grid.cells import Cell

OFF_MAP: Final = "*"
"""What a view shows outside the map."""


class Backdrop:
    """The static objects of a map.

    Args:
        height: Rows of the map.
        width: Columns of the map.
        letters: The letter of each cell that a static object fills.
    """

    def __init__(self, height: int, width: int, letters: Mapping[Cell, str]) -> None:
        self._height, self._width = height, width
        self._letters = letters
        self._pictures: dict[int, list[list[str]]] = {}

    def picture(self, rim: int) -> list[list[str]]:
        """Return a fresh picture of the map as rows of letters within a rim of ``*``."""
        picture = self._pictures.get(rim)
        if picture is None:
            picture = self._pictures[rim] = self._drawn(rim)
        return [row.copy() for row in picture]

    def _drawn(self, rim: int) -> list[list[str]]:
        outside = [OFF_MAP] * rim
        above = [[OFF_MAP] * (self._width + 2 * rim) for _ in range(rim)]
        rows = [
            [*outside, *(self._letters.get((i, j), ".") for j in range(self._width)), *outside]
            for i in range(self._height)
        ]
        return [*above, *rows, *(row.copy() for row in above)]

    def count_walls(self, top: int, left: int, bottom: int, right: int) -> int:
        """Count the wall cells in a rectangle, its edges included."""
        sums = self._wall_sums
        top, bottom = max(top, 0), min(bottom, self._height - 1) + 1
        left, right = max(left, 0), min(right, self._width - 1) + 1
        if top >= bottom or left >= right:
            return 0
        return sums[bottom][right] - sums[top][right] - sums[bottom][left] + sums[top][left]

    @cached_property
    def _wall_sums(self) -> list[list[int]]:
        """Walls above and to the left of each cell corner."""
        sums = [[0] * (self._width + 1)]
        for i in range(self._height):
            walls = (self._letters.get((i, j)) == "W" for j in range(self._width))
            line = accumulate(walls, initial=0)
            sums.append([above + here for above, here in zip(sums[-1], line, strict=True)])
        return sums
