"""What agents claim of words and their directions."""

import re
from collections.abc import Iterable, Mapping
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Claim
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class LatticeReader(FactReader):
    """Words and their direction; at friction 2 words may be written upwards."""

    _DIRECTIONS: Mapping[str, str] = {
        **dict.fromkeys(("horizontally", "horizontal", "across"), "across"),
        **dict.fromkeys(("vertically", "vertical", "down"), "down"),
    }
    _DIRECTION = re.compile(rf"\b(?:{'|'.join(_DIRECTIONS)})\b", re.I)
    _WORD = re.compile(r"\b[A-Z]{3,}\b")
    _SIGNS = frozenset({"FINAL", "ANSWER", "ACTI", "JSON"})

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        words = [word for view in views for word in cast("list[str]", view["words"])]
        self._upwards = friction == 2
        super().__init__(self._atoms, (), words)

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("word", w, str(facts["direction"])) for w in cast("list[str]", facts["words"])]

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """Return the word, and what it is if it was written upwards."""
        kind, word, direction = atom
        yield atom
        if self._upwards and direction == "down":
            yield (kind, str(word)[::-1], direction)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """Return the words of a sentence that names a direction."""
        found = self._DIRECTION.search(sentence)
        if found is None:
            return
        direction = self._DIRECTIONS[found[0].lower()]
        for word in self._WORD.findall(sentence):
            if word not in self._SIGNS:
                yield self.claim([("word", word, direction)])
