"""What agents claim of walls between cells."""

import re
from collections.abc import Mapping
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Atoms, Claim
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    GridReader,
    as_cell,
)
from coordgym.silo_env.pairs.dialogue.readers.grid_text import LIST, cell_marks
from coordgym.silo_env.pairs.grids.schemes import Scheme, Written, decode
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class CourtyardReader(GridReader):
    """Walls between neighbouring cells: on the south or the east side of one."""

    _SIDES = re.compile(
        rf"(?:on|to|at) the (south|north|east|west|right|left|bottom|top)(?: side)?(?: side)? of"
        rf"(?: the)?(?: square| cell)? ({LIST})",
        re.IGNORECASE,
    )
    _BETWEEN = re.compile(rf"wall between ({LIST})", re.IGNORECASE)
    _SHIFTS: Mapping[str, tuple[str, int, int]] = {
        **dict.fromkeys(("south", "bottom"), ("south", 0, 0)),
        **dict.fromkeys(("north", "top"), ("south", -1, 0)),
        **dict.fromkeys(("east", "right"), ("east", 0, 0)),
        **dict.fromkeys(("west", "left"), ("east", 0, -1)),
    }

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        n = cast("int", views[0]["n"])
        super().__init__(n, n)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        side = "south" if facts["kind"] == "horizontal" else "east"
        walls = cast("list[object]", facts["walls"])
        return frozenset(("wall", *as_cell(cell), side) for cell in walls)

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        """Return the walls on sides of cells and between cells that a sentence states."""
        claims = [
            self.about(("wall", match[1].lower()), mark)
            for match in self._SIDES.finditer(sentence)
            for mark in cell_marks(match[2])
        ]
        for match in self._BETWEEN.finditer(sentence):
            marks = cell_marks(match[1])
            claims += [
                self.about(("between", b.cell[0].number, b.cell[1].number), a)
                for a, b in zip(marks[::2], marks[1::2], strict=False)
            ]
        return claims

    def place(self, claim: Claim, scheme: Scheme) -> Atom:
        """Return the wall of a claim, its cells read in a scheme."""
        placed = super().place(claim, scheme)
        first = (int(placed[1]), int(placed[2]))
        if placed[0] == "between":
            written = Written(int(placed[3])), Written(int(placed[4]))
            second = decode(written, scheme, self.height, self.width)
            side = "south" if first[1] == second[1] else "east"
            return ("wall", *min(first, second), side)
        side, down, across = self._SHIFTS[str(placed[3])]
        return ("wall", first[0] + down, first[1] + across, side)
