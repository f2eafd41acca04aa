"""The reader of puzzles of clues, which derives its patterns from the task's own sentences."""

import re
from collections.abc import Iterable
from typing import Any, cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import FactReader, Pattern, Wording
from coordgym.silo_env.pairs.shapes.clues import Clue, ClueTask
from coordgym.silo_env.pairs.task import Facts, Friction, Seat, Views

_SYMMETRIC_CLUES = frozenset({"gap", "next", "notnext", "apart", "same", "notsame", "adj"})
_MARK = "\N{REPLACEMENT CHARACTER}"
_END = re.compile(r" (?:from the (?:front|back)|\(counting from the (?:left|right)\))")
"""From which end a place is counted."""


def _clues(facts: Facts, seat: Seat) -> Iterable[Atom]:
    return [tuple(clue) for clue in cast("list[list[str | int]]", facts["clues"])]


def clue_reader(task: ClueTask[Any, Any, Any], views: Views, friction: Friction) -> FactReader:
    """Make the reader of a puzzle's clues in all wordings of the task.

    Each kind of clue is said with marks for its names. At friction 2 places may be numbers that
    say nothing of the end from which they count, so that they have two readings.
    """
    names = task.names(views[0])
    shapes = _shapes(task.table(names).clues)
    patterns: dict[Pattern, None] = {}
    for shape in shapes:
        marked = tuple(part or f"{_MARK}{place}{_MARK}" for place, part in enumerate(shape, -1))
        said = [task.say_clue(marked), task.say_turned(marked, len(names), 1)]
        if friction == 2:
            said += [task.say_turned(marked, len(names), 2), _END.sub("", said[0])]
        for text in said:
            patterns[_as_pattern(shape, text)] = None
    return _ClueReader(list(patterns), names)


def _shapes(clues: Iterable[Clue]) -> list[Clue]:
    """Empty the places of names; any number may stand where a clue has one."""
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
    """Return the wording of a clue; its numbers belong to the kind, as wordings turn them."""
    kind = "\t".join(str(part) for part in shape)
    wording = re.sub(rf"{_MARK}(\d){_MARK}", r"{n\1}", re.escape(text).replace(r"\ ", " "))
    return Pattern(kind, rf"{wording}(?!\w|{_END.pattern})")


class _ClueReader(FactReader):
    """Clues whose numbers are part of the wording."""

    def __init__(self, patterns: list[Pattern], names: Iterable[str]) -> None:
        super().__init__(_clues, patterns, names, symmetric=_SYMMETRIC_CLUES)

    def matched(self, wording: Wording, match: re.Match[str]) -> Atom | None:
        """Return the clue, its numbers taken from the wording."""
        atom = super().matched(wording, match)
        if atom is None:
            return None
        kind, *parts = wording.kind.split("\t")
        supply = iter(atom[1:])
        return (kind, *(int(part) if part else next(supply) for part in parts))
