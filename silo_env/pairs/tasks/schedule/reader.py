"""What agents claim of time zones and free times."""

import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Claim, words_pattern
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    DAY,
    FactReader,
    minutes,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.schedule.texts import FIRST_HOUR

HOUR = 60
"""Minutes."""


def _start(slot: int) -> int:
    """Return when a slot begins, in minutes after midnight UTC."""
    return HOUR * (FIRST_HOUR + slot - 1)


def _clock(time: str, half: str | None) -> int:
    return minutes(f"{time if ':' in time else f'{time}:00'} {half or ''}")


class CalendarReader(FactReader):
    """Time zones ``("zone", person, hours)`` and free times ``("free", person, begin, end)``.

    Times are minutes after midnight UTC. A free time implies a fact for each of its slots.
    """

    _ZONE = re.compile(r"\(UTC([+-]\d{1,2})\)|clock shows UTC([+-]\d{1,2})")
    _FREE = re.compile(r"(?<!not )(?<!n't )(?<!never )\b(?:free|available)\b([^;]*)")
    _SLOT = re.compile(r"(\d{1,2})(?:\s*(?:-|–|to)\s*(\d{1,2}))?")
    _SLOTS = re.compile(
        rf"\bslots? (?:{_SLOT.pattern})(?:(?:, and |, | and )(?:{_SLOT.pattern})){{0,20}}"
    )
    _TIME = r"(\d{1,2}(?::\d\d)?)\s*([ap]m)?"
    _SPAN = re.compile(rf"(?<![\d:]){_TIME}\s*(?:-|–|to)\s*{_TIME}(?![\d:])", re.I)
    _MINUTES = re.compile(
        r"(?<!\d)(\d{1,4})\s*(?:-|–|to)\s*(\d{1,4})(?=[^.;]{0,80}\bminutes after\b)"
    )

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        self._zones = {
            name: cast("int", person["tz"])
            for view in views
            for name, person in cast("dict[str, dict[str, object]]", view["people"]).items()
        }
        super().__init__(self._atoms, (), list(self._zones))
        self._person = re.compile(words_pattern(self._zones))

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        people = cast("dict[str, dict[str, object]]", facts["people"])
        for name, person in people.items():
            yield ("zone", name, cast("int", person["tz"]))
            for first, last in cast("list[list[int]]", person["windows"]):
                yield ("free", name, _start(first), _start(last + 1))

    def implied(self, atom: Atom) -> Iterable[Atom]:
        """Return that a person is free in each slot of a free time."""
        if atom[0] == "free":
            _, name, begin, end = atom
            for start in range(int(begin), int(end), HOUR):
                yield ("slot", name, (start - _start(1)) // HOUR + 1)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """Return the zones and the free times behind the names of people."""
        people = list(self._person.finditer(sentence))
        for person, following in zip_longest(people, people[1:]):
            end = len(sentence) if following is None else following.start()
            name, said = person[0], sentence[person.end() : end]
            zone = self._ZONE.search(said)
            hours = self._zones[name] if zone is None else int(zone[1] or zone[2])
            if zone is not None:
                yield self.claim([("zone", name, hours)])
            free = self._FREE.search(said)
            if free is not None:
                yield from self._free(name, free[1], HOUR * hours)

    def _free(self, name: str, text: str, shift: int) -> Iterable[Claim]:
        """Yield free times, as slots and by the clock: local, UTC, or either if none is said."""
        for slots in self._SLOTS.finditer(text):
            for slot in self._SLOT.finditer(slots[0]):
                first = int(slot[1])
                yield self.claim([
                    ("free", name, _start(first), _start(int(slot[2]) + 1))
                    if slot[2]
                    else ("slot", name, first)
                ])  # fmt: skip
        text = self._SLOTS.sub(" ", text)
        local, utc = "local" in text, re.search(r"\bUTC\b(?![+-]\d)", text) is not None
        shifts = [shift] * (local or not utc) + [0] * (utc or not local)
        spans = [(int(span[1]), int(span[2])) for span in self._MINUTES.finditer(text)] or [
            (_clock(span[1], span[2]), _clock(span[3], span[4]))
            for span in self._SPAN.finditer(text)
        ]
        for begin, end in spans:
            yield self.claim(("free", name, (begin - s) % DAY, (end - s) % DAY) for s in shifts)
