"""The readers of puzzles of clues, object tables, logs, lattices of words and calendars."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import zip_longest
from typing import cast

from coordgym.silo_env.pairs.instance import get_task
from coordgym.silo_env.pairs.readers.atoms import Atom, Claim, words_pattern
from coordgym.silo_env.pairs.readers.fact_atoms import (
    FactReader,
    Pattern,
    Wording,
    minutes,
)
from coordgym.silo_env.pairs.shapes.clues import Clue, ClueTask
from coordgym.silo_env.pairs.task import Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.attrcombo.task import labels
from coordgym.silo_env.pairs.tasks.eventlog.texts import DAY, log_of
from coordgym.silo_env.pairs.tasks.meetingmatrix.task import AHEAD, FIRST_HOUR
from coordgym.silo_env.pairs.tasks.schedule.task import FIRST_HOUR as FIRST_SLOT_HOUR

_SYMMETRIC_CLUES = frozenset({"gap", "next", "notnext", "apart", "same", "notsame", "adj"})
_MARK = "\N{REPLACEMENT CHARACTER}"
_END = re.compile(r" (?:from the (?:front|back)|\(counting from the (?:left|right)\))")
"""From which end a place is counted."""


def _clues(facts: Facts, seat: Seat) -> Iterable[Atom]:
    return [tuple(clue) for clue in cast("list[list[str | int]]", facts["clues"])]


def clue_puzzle(task: str, views: Views, friction: Friction) -> FactReader:
    """Clues of ``order``, ``seating`` and ``logic`` in all wordings of the task.

    Each kind of clue is said with marks for its names. At friction 2 places may be numbers that
    say nothing of the end from which they count, so that they have two readings.
    """
    rules = get_task(task)
    if not isinstance(rules, ClueTask):
        raise TypeError(f"{task} is no puzzle of clues")
    names = rules.names(views[0])
    shapes = _shapes(rules.table(names).clues)
    patterns: dict[Pattern, None] = {}
    for shape in shapes:
        marked = tuple(part or f"{_MARK}{place}{_MARK}" for place, part in enumerate(shape, -1))
        said = [rules.say_clue(marked), rules.say_turned(marked, len(names), 1)]
        if friction == 2:
            said += [rules.say_turned(marked, len(names), 2), _END.sub("", said[0])]
        for text in said:
            patterns[_as_pattern(shape, text)] = None
    return _ClueReader(list(patterns), names)


def _shapes(clues: Iterable[Clue]) -> list[Clue]:
    """The clues with nothing in the places of names and any number where one of them has one."""
    forms = dict.fromkeys(
        (kind, *(0 if isinstance(part, int) else "" for part in about)) for kind, *about in clues
    )
    numbers = sorted({part for clue in clues for part in clue if isinstance(part, int)})
    return [
        tuple(number if part == 0 else part for part in form)
        for form in forms
        for number in (numbers if 0 in form else (0,))
    ]


def _as_pattern(shape: Clue, text: str) -> Pattern:
    """The wording of a clue; its numbers belong to the kind, as wordings turn them."""
    kind = "\t".join(str(part) for part in shape)
    wording = re.sub(rf"{_MARK}(\d){_MARK}", r"{n\1}", re.escape(text).replace(r"\ ", " "))
    return Pattern(kind, rf"{wording}(?!\w|{_END.pattern})")


class _ClueReader(FactReader):
    """Clues whose numbers are part of the wording."""

    def __init__(self, patterns: list[Pattern], names: Iterable[str]) -> None:
        super().__init__(_clues, patterns, names, symmetric=_SYMMETRIC_CLUES)

    def matched(self, wording: Wording, match: re.Match[str]) -> Atom | None:
        """The clue, its numbers taken from the wording."""
        atom = super().matched(wording, match)
        if atom is None:
            return None
        kind, *parts = wording.kind.split("\t")
        supply = iter(atom[1:])
        return (kind, *(int(part) if part else next(supply) for part in parts))


class _ObjectReader(FactReader):
    """Attributes of objects: ``("attr", object, value)``."""

    def __init__(self, views: Views, friction: Friction) -> None:
        items = [cast("dict[str, dict[str, str]]", view["items"]) for view in views]
        values = {value: value for each in items for row in each.values() for value in row.values()}
        values |= {"wooden": "wood", "metallic": "metal", "glassy": "glass"}
        labelled = {label: name for name, label in labels(views[1]).items()}
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
        """What is listed behind an object, and the objects listed behind an owner."""
        for match in self._listed.finditer(sentence):
            for value in self._value.findall(match[2]):
                yield self._about(match[1], value)
        for match in self._owned.finditer(sentence):
            for name in self._name.findall(match[3]):
                yield self._about(name, match[1])
                yield self._about(name, match[2])

    def _about(self, written: str, value: str) -> Claim:
        """A claim about an object, whichever view its name is from."""
        objects = [names[written] for names in (self._names, self._renamed) if written in names]
        return self.claim(("attr", name, self._values[value.lower()]) for name in objects)


class _LogReader(FactReader):
    """Events with minutes on the first clock; a text may give the time on either clock."""

    def __init__(self, views: Views, friction: Friction) -> None:
        logs = [log_of(view) for view in views]
        sync = str(views[0]["sync"])
        self._offset = logs[1][sync] - logs[0][sync]
        patterns = [
            Pattern("event", r"{t1} {n0}"),
            Pattern("event", r"{n0}(?: (?:happened|was|is|occurred))?(?: at|:| =) {t1}"),
            Pattern("event", r"{n0}(?:,|:| at| was| is| happened)? {m1} minutes before midnight"),
        ]
        super().__init__(self._atoms, patterns, [name for log in logs for name in log])

    def _atoms(self, facts: Facts, seat: Seat) -> Iterable[Atom]:
        late = self._offset if seat == 2 else 0
        return [("event", name, at - late) for name, at in log_of(facts).items()]

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """The time as one of the first clock, and as one of the second."""
        kind, name, at = atom
        yield atom
        yield (kind, name, int(at) - self._offset)


class _MeetingReader(FactReader):
    """Meetings that clash, slots that are excluded, and clash matrices."""

    def __init__(self, views: Views, friction: Friction) -> None:
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
        """Rows of a matrix, then what the rest of the text asserts."""
        drawn = [
            self.claim([("conflict", match[1], other)])
            for match in self._row.finditer(text)
            for other, mark in zip(self._meetings, match[2].split(), strict=True)
            if mark == "x"
        ]
        return drawn + super().claims(self._row.sub("", text), seat)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """Clashes and excluded slots, also by their start on either clock."""
        yield from super().stated(sentence, seat)
        for match in self._start.finditer(sentence):
            slots = [int(match[2]) - ahead - FIRST_HOUR + 1 for ahead in self._clocks]
            yield self.claim(("excluded", match[1], slot) for slot in slots)


HOUR = 60
"""Minutes."""


def _start(slot: int) -> int:
    """When a slot begins, in minutes after midnight UTC."""
    return HOUR * (FIRST_SLOT_HOUR + slot - 1)


def _clock(time: str, half: str | None) -> int:
    return minutes(f"{time if ':' in time else f'{time}:00'} {half or ''}")


class _CalendarReader(FactReader):
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

    def __init__(self, views: Views, friction: Friction) -> None:
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
        """That a person is free in each slot of a free time."""
        if atom[0] == "free":
            _, name, begin, end = atom
            for start in range(int(begin), int(end), HOUR):
                yield ("slot", name, (start - _start(1)) // HOUR + 1)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """The zones and the free times behind the names of people."""
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
        """Free times as slots, and by the clock: local, UTC, or either if a text says neither."""
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


class _LatticeReader(FactReader):
    """Words and their direction; at friction 2 words may be written upwards."""

    _DIRECTIONS: Mapping[str, str] = {
        **dict.fromkeys(("horizontally", "horizontal", "across"), "across"),
        **dict.fromkeys(("vertically", "vertical", "down"), "down"),
    }
    _DIRECTION = re.compile(rf"\b(?:{'|'.join(_DIRECTIONS)})\b", re.I)
    _WORD = re.compile(r"\b[A-Z]{3,}\b")
    _SIGNS = frozenset({"FINAL", "ANSWER", "ACTI", "JSON"})

    def __init__(self, views: Views, friction: Friction) -> None:
        words = [word for view in views for word in cast("list[str]", view["words"])]
        self._upwards = friction == 2
        super().__init__(self._atoms, (), words)

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("word", w, str(facts["direction"])) for w in cast("list[str]", facts["words"])]

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """The word, and what it is if it was written upwards."""
        kind, word, direction = atom
        yield atom
        if self._upwards and direction == "down":
            yield (kind, str(word)[::-1], direction)

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """The words of a sentence that names a direction."""
        found = self._DIRECTION.search(sentence)
        if found is None:
            return
        direction = self._DIRECTIONS[found[0].lower()]
        for word in self._WORD.findall(sentence):
            if word not in self._SIGNS:
                yield self.claim([("word", word, direction)])


CONSTRAINT_READERS: dict[str, Callable[[Views, Friction], FactReader]] = {
    "order": partial(clue_puzzle, "order"),
    "seating": partial(clue_puzzle, "seating"),
    "logic": partial(clue_puzzle, "logic"),
    "attrcombo": _ObjectReader,
    "eventlog": _LogReader,
    "meetingmatrix": _MeetingReader,
    "schedule": _CalendarReader,
    "crossword": _LatticeReader,
}
"""What makes the reader of each of these tasks from the facts of its two views."""
