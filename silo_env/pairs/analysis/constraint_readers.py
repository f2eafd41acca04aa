"""The readers of puzzles of clues, object tables, logs, lattices of words and calendars."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from coordgym.silo_env.pairs.analysis.atoms import Atom, Claim, words_pattern
from coordgym.silo_env.pairs.analysis.fact_atoms import FactReader, Pattern, minutes
from coordgym.silo_env.pairs.clues import ClueTask
from coordgym.silo_env.pairs.rules import get_task
from coordgym.silo_env.pairs.task import Facts, Seat

Views = tuple[Facts, Facts]
_SYMMETRIC_CLUES = frozenset({"gap", "next", "notnext", "apart", "same", "notsame", "adj"})
_MARK = "\N{REPLACEMENT CHARACTER}"


def _clues(facts: Facts, seat: Seat) -> Iterable[Atom]:
    return [tuple(clue) for clue in cast("list[list[str | int]]", facts["clues"])]


def clue_puzzle(task: str, views: Views) -> FactReader:
    """Clues of `order`, `seating` and `logic` in the wordings of frictions 0 and 1.

    The wordings are those of the task: each kind of clue is said with marks for its names.
    """
    rules = get_task(task)
    if not isinstance(rules, ClueTask):
        raise TypeError(f"{task} is no puzzle of clues")
    names = rules.read_subject(views[0])
    shapes = dict.fromkeys(_shape(clue) for clue in rules.table(names).clues)
    patterns: dict[Pattern, None] = {}
    for shape in shapes:
        marked = tuple(part or f"{_MARK}{place}{_MARK}" for place, part in enumerate(shape, -1))
        for text in (rules.say(marked), rules.say_turned(marked, len(names), 1)):
            patterns[_as_pattern(shape, text)] = None
    return _ClueReader(list(patterns), names)


def _shape(clue: Sequence[str | int]) -> tuple[str | int, ...]:
    """A clue with nothing in the places of its names."""
    return (clue[0], *(part if isinstance(part, int) else "" for part in clue[1:]))


def _as_pattern(shape: tuple[str | int, ...], text: str) -> Pattern:
    """The wording of a clue; its numbers belong to the kind, as wordings turn them."""
    kind = "\t".join(str(part) for part in shape)
    wording = re.sub(rf"{_MARK}(\d){_MARK}", r"{n\1}", re.escape(text).replace(r"\ ", " "))
    return Pattern(kind, wording + r"(?!\w)")


class _ClueReader(FactReader):
    """Clues whose numbers are part of the wording."""

    def __init__(self, patterns: list[Pattern], names: Iterable[str]) -> None:
        super().__init__(_clues, patterns, names, symmetric=_SYMMETRIC_CLUES)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Atom]:
        for shape, *found in super().stated(sentence, seat):
            kind, *parts = str(shape).split("\t")
            supply = iter(found)
            yield (kind, *(int(part) if part else next(supply) for part in parts))


class _ObjectReader(FactReader):
    """Attributes of objects: ``("attr", object, value)``."""

    def __init__(self, views: Views) -> None:
        items = [cast("dict[str, dict[str, str]]", view["items"]) for view in views]
        values = {value: value for each in items for row in each.values() for value in row.values()}
        values |= {"wooden": "wood", "metallic": "metal", "glassy": "glass"}
        names = list(items[0])
        super().__init__(self._atoms, (), names, values=values)
        value, name = words_pattern(values), words_pattern(names)
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

    def stated(self, sentence: str, seat: Seat) -> Iterable[Atom]:
        for match in self._listed.finditer(sentence):
            for value in self._value.findall(match[2]):
                yield ("attr", match[1], self._values[value.lower()])
        for match in self._owned.finditer(sentence):
            for name in self._name.findall(match[3]):
                yield ("attr", name, self._values[match[1].lower()])
                yield ("attr", name, self._values[match[2].lower()])


class _LogReader(FactReader):
    """Events with minutes; a time on one clock implies the time on the other."""

    def __init__(self, views: Views) -> None:
        logs = [dict(cast("list[tuple[str, int]]", view["events"])) for view in views]
        sync = str(views[0]["sync"])
        self._offset = logs[1][sync] - logs[0][sync]
        patterns = [
            Pattern("event", r"{t1} {n0}"),
            Pattern("event", r"{n0}(?: (?:happened|was|is|occurred))?(?: at|:| =) {t1}"),
        ]
        super().__init__(self._atoms, patterns, [name for log in logs for name in log])

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("event", *row) for row in cast("list[tuple[str, int]]", facts["events"])]

    def implied(self, atom: Atom) -> Iterable[Atom]:
        kind, name, at = atom
        yield (kind, name, int(at) + self._offset)
        yield (kind, name, int(at) - self._offset)


class _MeetingReader(FactReader):
    """Meetings that clash, slots that are excluded, and clash matrices."""

    def __init__(self, views: Views) -> None:
        self._meetings = cast("list[str]", views[0]["meetings"])
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
        """Rows of a matrix, then what the rest of the text asserts."""
        drawn = [
            Claim(self.in_order(("conflict", match[1], other)))
            for match in self._row.finditer(text)
            for other, mark in zip(self._meetings, match[2].split(), strict=True)
            if mark == "x"
        ]
        return drawn + super().claims(self._row.sub("", text), seat)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Atom]:
        yield from super().stated(sentence, seat)
        for match in self._start.finditer(sentence):
            yield ("excluded", match[1], int(match[2]) - FIRST_HOUR + 1)


FIRST_HOUR = 9
"""The hour, in UTC or on the first clock, at which slot 1 begins."""


class _CalendarReader(FactReader):
    """Time zones ``("zone", person, hours)`` and free slots ``("free", person, first, last)``."""

    _ZONE = re.compile(r"\(UTC([+-]\d{1,2})\)|clock shows UTC([+-]\d{1,2})")
    _SPAN = re.compile(
        r"(\d{1,2})(?::00)?\s*([ap]m)?\s*(?:-|–|to)\s*(\d{1,2})(?::00)?\s*([ap]m)?", re.I
    )

    def __init__(self, views: Views) -> None:
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
                yield ("free", name, first, last)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Atom]:
        person = self._person.search(sentence)
        if person is None:
            return
        name, rest = person[0], sentence[person.end() :]
        zone = self._ZONE.search(rest)
        hours = self._zones[name] if zone is None else int(zone[1] or zone[2])
        if zone is not None:
            yield ("zone", name, hours)
        free = re.search(r"\b(?:free|available)\b(.*)", rest)
        shift = 0 if free and re.search(r"\bUTC\b", free[1]) else hours
        for span in self._SPAN.finditer(free[1]) if free else ():
            begin, end = _hour(span[1], span[2]), _hour(span[3], span[4])
            first = (begin - shift - FIRST_HOUR) % 24 + 1
            last = (end - shift - FIRST_HOUR - 1) % 24 + 1
            yield ("free", name, first, last)


def _hour(number: str, half: str | None) -> int:
    return minutes(f"{number}:00 {half or ''}") // 60


class _LatticeReader(FactReader):
    """Words and their direction."""

    _DIRECTIONS: Mapping[str, str] = {
        **dict.fromkeys(("horizontally", "horizontal", "across"), "across"),
        **dict.fromkeys(("vertically", "vertical", "down"), "down"),
    }
    _DIRECTION = re.compile(rf"\b(?:{'|'.join(_DIRECTIONS)})\b", re.I)
    _WORD = re.compile(r"\b[A-Z]{3,}\b")
    _SIGNS = frozenset({"FINAL", "ANSWER", "ACTI", "JSON"})

    def __init__(self, views: Views) -> None:
        words = [word for view in views for word in cast("list[str]", view["words"])]
        super().__init__(self._atoms, (), words)

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("word", w, str(facts["direction"])) for w in cast("list[str]", facts["words"])]

    def stated(self, sentence: str, seat: Seat) -> Iterable[Atom]:
        found = self._DIRECTION.search(sentence)
        if found is None:
            return
        direction = self._DIRECTIONS[found[0].lower()]
        for word in self._WORD.findall(sentence):
            if word not in self._SIGNS:
                yield ("word", word, direction)


CONSTRAINT_READERS = {
    "order": lambda views: clue_puzzle("order", views),
    "seating": lambda views: clue_puzzle("seating", views),
    "logic": lambda views: clue_puzzle("logic", views),
    "attrcombo": _ObjectReader,
    "eventlog": _LogReader,
    "meetingmatrix": _MeetingReader,
    "schedule": _CalendarReader,
    "crossword": _LatticeReader,
}
"""What makes the reader of each of these tasks from the facts of its two views."""
