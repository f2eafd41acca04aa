"""What agents claim of objects and their attributes."""

import re
from collections.abc import Iterable
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Claim, words_pattern
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.attrcombo.task import labels


class ObjectReader(FactReader):
    """Attributes of objects: ``("attr", object, value)``."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        items = [cast("dict[str, dict[str, str]]", view["items"]) for view in views]
        values = {value: value for each in items for row in each.values() for value in row.values()}
        values |= {"wooden": "wood", "metallic": "metal", "glassy": "glass"}
        labelled = {label: name for name, label in labels(items[1]).items()}
        names = list(items[0])
        renamed = labelled if friction == 2 else {}
        super().__init__(self._atoms, (), names, renamed=renamed, values=values)
        value, name = words_pattern(values), words_pattern([*names, *renamed])
        more = rf"(?:(?:,| and|, and| ) ?{value})*"
        self._listed = re.compile(
            rf"({name})\s*(?::|=|is|has|are)\s*(?:an? )?({value}{more})", re.IGNORECASE
        )
        self._owned = re.compile(rf"({value})'s ({value}) objects?: ({name}(?:, {name})*)", re.I)
        self._value, self._name = re.compile(value, re.I), re.compile(name)

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        items = cast("dict[str, dict[str, str]]", facts["items"])
        return [("attr", name, value) for name, row in items.items() for value in row.values()]

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """Return what is listed behind an object, and the objects listed behind an owner."""
        for match in self._listed.finditer(sentence):
            for value in self._value.findall(match[2]):
                yield self._about(match[1], value)
        for match in self._owned.finditer(sentence):
            for name in self._name.findall(match[3]):
                yield self._about(name, match[1])
                yield self._about(name, match[2])

    def _about(self, written: str, value: str) -> Claim:
        """Return a claim about an object, whichever view its name is from."""
        objects = [names[written] for names in (self._names, self._renamed) if written in names]
        return self.claim(("attr", name, self._values[value.lower()]) for name in objects)
