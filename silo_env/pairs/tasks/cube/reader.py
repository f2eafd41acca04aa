"""What agents claim of the cells of a block."""

import re
from collections.abc import Iterator
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atoms, Claim
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    CELL_KIND,
    GridReader,
)
from coordgym.silo_env.pairs.dialogue.readers.grid_text import LIST, cell_marks, find_drawings
from coordgym.silo_env.pairs.grids.cells import GOAL, OPEN, START, WALL
from coordgym.silo_env.pairs.grids.schemes import Scheme, decode
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class BlockReader(GridReader):
    """Cells of a block: floor, row, column."""

    _LEVEL = re.compile(r"\b(floor|level|layer)\s*(\d{1,2})\s*:", re.IGNORECASE)

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        n = cast("int", views[0]["n"])
        super().__init__(n, n)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        layers = cast("dict[str, list[str]]", facts["layers"])
        return frozenset(
            (CELL_KIND, int(floor), *atom[1:])
            for floor, grid in layers.items()
            for atom in self.of_grid(grid, seat)
        )

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Return what drawn floors, lists of solid squares by level and cells in prose say."""
        parts = self._LEVEL.split(text)
        claims = super().claims(parts[0], seat)
        for word, number, content in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            claims += self._of_level(word.lower(), int(number), content, seat)
        return [claim for claim in claims if claim.level is not None or len(claim.atom) == 5]

    def _of_level(self, word: str, number: int, text: str, seat: Seat) -> Iterator[Claim]:
        floor = number - 1 if word == "level" else number
        drawn = find_drawings(text, self.symbols + "?", {})
        listed = re.match(rf"\s*(?:solid:?\s*)?({LIST})\s*(?:$|\n|\.)", drawn.rest)
        for claim in super().claims(text, seat):
            is_plain = len(claim.atom) == 4
            yield claim._replace(atom=(CELL_KIND, floor, *claim.atom[1:])) if is_plain else claim
        if listed is None:
            return
        solid = {
            (self.height - mark.cell[1].number, mark.cell[0].number - 1)
            for mark in cell_marks(listed[1])
            if mark.level is None
        }
        # Such a list names every solid square of its level: the others are free.
        last = self.height - 1
        inside = {(row, column) for row in range(self.height) for column in range(self.width)}
        free = {(0, 0, 0): START, (last, last, last): GOAL}
        for cell in sorted(solid | inside):
            symbol = WALL if cell in solid else free.get((floor, *cell), OPEN)
            yield Claim((CELL_KIND, floor, *cell, symbol))

    def located(self, claim: Claim, scheme: Scheme) -> tuple[int, ...]:
        """Return floor, row and column of a claim's cell."""
        if claim.cell is None or claim.level is None:
            return super().located(claim, scheme)
        row, column = decode(claim.cell, scheme, self.height, self.width)
        return (claim.level - scheme.origin, row, column)
