"""What agents claim of a floor and its closures."""

import re
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Atoms, Claim
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    GridReader,
)
from coordgym.silo_env.pairs.dialogue.readers.grid_text import LIST, cell_marks
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class ClosureReader(GridReader):
    """A floor plan and cells that are closed for some ticks, both ends included."""

    _SPANS = (
        (
            re.compile(
                rf"({LIST}):?\s*(?:may not be occupied|(?:is |are )?(?:closed|shut|blocked)) "
                r"(?:at|from|for|during) ticks? (\d{1,3})(?:\s*(?:to|-|–|through)\s*(\d{1,3}))?"
            ),
            0,
        ),
        (
            re.compile(
                rf"({LIST}):? shuts at tick (\d{{1,3}}), open again (?:from|at) tick (\d{{1,3}})"
            ),
            1,
        ),
    )
    """Wordings of a closure, and how many ticks after the last closed one they name."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        n = cast("int", views[0]["n"])
        super().__init__(n, n)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        grid = cast("list[str] | None", facts["grid"])
        blocks = cast("list[list[int]]", facts["blocks"])
        cells = self.of_grid(grid, seat) if grid else []
        closures: list[Atom] = [("closure", *block) for block in blocks]
        return frozenset([*cells, *closures])

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        """Return the closures that a sentence states, and what it states of cells."""
        sentence = re.sub(r" \(0-based, from the top-left\)", "", sentence)
        claims: list[Claim] = []
        for pattern, after in self._SPANS:
            for match in pattern.finditer(sentence):
                first = int(match[2])
                last = int(match[3] or first) - after
                claims += [
                    self.about(("closure", first, last), mark) for mark in cell_marks(match[1])
                ]
            sentence = pattern.sub(" ", sentence)
        return claims + super().stated(sentence, seat)
