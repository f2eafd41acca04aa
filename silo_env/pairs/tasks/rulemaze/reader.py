"""What agents claim of coloured tiles and forbidden steps."""

import re
from collections.abc import Mapping
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atoms, Claim
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    GridReader,
    size_of,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.rulemaze.task import COLOURS, FANCY, PLAIN

LETTERS: Mapping[str, str] = {
    word: letter for words in (PLAIN, FANCY) for letter, word in words.items()
}
"""The letter of each colour by its words in either view."""


class TileReader(GridReader):
    """Coloured tiles, and steps between colours that are forbidden."""

    _COLOUR = rf"({'|'.join(LETTERS)}|[{COLOURS}])"
    _FROM = re.compile(
        rf"\b(?:not|n't|no|never|forbidden)\b[^.;]{{0,80}}?\b{_COLOUR}\s*(?:tiles?\s*)?"
        rf"(?:->|→|(?:on)?to)\s*(?:an?\s+)?{_COLOUR}\b",
        re.IGNORECASE,
    )
    _TO = re.compile(
        rf"\b{_COLOUR}(?: tiles?| ones?)? (?:can't|cannot|may not|must not) be entered from "
        rf"(?:an? )?{_COLOUR}\b",
        re.IGNORECASE,
    )

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        super().__init__(*size_of(views), words=LETTERS, symbols=COLOURS)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        pairs = cast("list[str]", facts["forbidden"])
        return super().of_view(facts, seat) | {("forbidden", pair[0], pair[1]) for pair in pairs}

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        """Return what a sentence states of tiles, and the steps that it forbids."""
        claims = super().stated(sentence, seat)
        for pattern, order in ((self._FROM, (1, 2)), (self._TO, (2, 1))):
            for match in pattern.finditer(sentence):
                source, target = (self._letter(match[group]) for group in order)
                claims.append(Claim(("forbidden", source, target)))
        return claims

    @staticmethod
    def _letter(word: str) -> str:
        return LETTERS.get(word.lower(), word.upper())
