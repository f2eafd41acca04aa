"""What agents claim of clashes and excluded slots."""

import re
from collections.abc import Iterable
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Claim, words_pattern
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
    Pattern,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.meetingmatrix.texts import AHEAD, FIRST_HOUR


class MeetingReader(FactReader):
    """Meetings that clash, slots that are excluded, and clash matrices."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        self._meetings = cast("list[str]", views[0]["meetings"])
        self._clocks = (AHEAD, 0) if friction == 2 else (0,)
        patterns = [
            Pattern("excluded", r"{n0} (?:cannot|can't|may not|must not) be (?:in|at) slot {d1}"),
            Pattern("conflict", r"{n0} and {n1} (?:share|clash|conflict)"),
            Pattern("conflict", r"{n0} (?:clashes|conflicts) with {n1}"),
        ]
        super().__init__(self._atoms, patterns, self._meetings, symmetric=("conflict",))
        name = words_pattern(self._meetings)
        self._row = re.compile(
            rf"^\s*({name})((?:\s+[x.]){{{len(self._meetings)}}})\s*$", re.MULTILINE
        )
        self._start = re.compile(
            rf"({name}) (?:is impossible|cannot start|can't start|cannot be|can't be)"
            r" at (\d{1,2}):00"
        )

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        rows = cast("list[list[str | int]]", facts["constraints"])
        return [("excluded" if kind == "not" else kind, *rest) for kind, *rest in rows]

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Return rows of a matrix, then what the rest of the text asserts."""
        drawn = [
            self.claim([("conflict", match[1], other)])
            for match in self._row.finditer(text)
            for other, mark in zip(self._meetings, match[2].split(), strict=True)
            if mark == "x"
        ]
        return drawn + super().claims(self._row.sub("", text), seat)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """Return clashes and excluded slots, also by their start on either clock."""
        yield from super().stated(sentence, seat)
        for match in self._start.finditer(sentence):
            slots = [int(match[2]) - ahead - FIRST_HOUR + 1 for ahead in self._clocks]
            yield self.claim(("excluded", match[1], slot) for slot in slots)
