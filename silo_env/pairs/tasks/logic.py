"""``logic``: a row of houses with colour, nation and drink, half of the clues in each view.

Rules: the houses differ in all three attributes; find the one assignment that agrees with all
clues: which house, which values belong together, what lies left of what.
Views: the clues alternate. View 1 counts houses from the left and speaks of the left, view 2
counts from the right and speaks of the right; at friction 2 its houses have letters.
Answer: ``{"assignment": {"1": {"colour": .., "nation": .., "drink": ..}, ...}}``, 1 = leftmost.
Grade: the share of right cells.
Source: The Collaboration Tax, appendix F (logic) and case E.2.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.answers import assigned, fold
from coordgym.silo_env.pairs.facts.owners import Owner
from coordgym.silo_env.pairs.facts.sentences import Sentence
from coordgym.silo_env.pairs.shapes.clues import (
    Clue,
    ClueTable,
    ClueTask,
    Puzzle,
    Truth,
    make_table,
)
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, Json, Seat

SMALLEST, LARGEST = 3, 4
"""Houses; more would make too many arrangements to tabulate."""

VALUES = {
    "colour": ("red", "green", "blue", "yellow"),
    "nation": ("Spanish", "Greek", "Irish", "Danish"),
    "drink": ("tea", "milk", "juice", "water"),
}
RATES = {"at": 0.12, "notat": 0.5, "same": 0.8, "notsame": 0.5, "left": 0.8, "imm": 1, "adj": 1}
"""How often a true clue of each kind is considered."""
WEAK = ("notat", "notsame", "adj")
"""The kinds that exclude least."""


@dataclass(frozen=True, slots=True)
class LogicConfig:
    """Difficulty of generated puzzles.

    Attributes:
        n: Houses, 3..4.
        clues_each: Clues per view, 1..20.
        weak_percent: The rates of weak clues are multiplied with this percentage, 0..200, and
            capped at 1.
    """

    n: int = 4
    clues_each: int = 6
    weak_percent: int = 100

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_int("clues_each", self.clues_each, 1, 20)
        require_int("weak_percent", self.weak_percent, 0, 200)


def _names(n: int) -> tuple[str, ...]:
    """Return the values of n houses, attribute by attribute."""
    return tuple(value for values in VALUES.values() for value in values[:n])


@lru_cache(maxsize=4)
def _rows_of_houses(n: int) -> list[tuple[tuple[int, ...], ...]]:
    """List all assignments: for each attribute the value in each house from the left."""
    return list(product(permutations(range(n)), repeat=len(VALUES)))


@lru_cache(maxsize=4)
def _table(n: int) -> ClueTable:
    """Tabulate all clues about n houses; an arrangement is an assignment."""
    house: NDArray[np.int_] = (
        np.argsort(np.array(_rows_of_houses(n)), axis=2).reshape(-1, n * len(VALUES)) + 1
    )

    def holds(clue: Clue) -> Truth:
        kind, *about = clue
        first = house[:, int(about[0])]
        truth: Truth
        if kind in ("at", "notat"):
            truth = (first == int(about[1])) == (kind == "at")
            return truth
        ahead = house[:, int(about[1])] - first
        if kind in ("same", "notsame"):
            truth = (ahead == 0) == (kind == "same")
        elif kind == "left":
            truth = ahead > 0
        else:
            truth = (ahead if kind == "imm" else np.abs(ahead)) == 1
        return truth

    values = [str(value) for value in range(n * len(VALUES))]
    couples = list(combinations(values, 2))
    mixed = [(a, b) for a, b in couples if int(a) // n != int(b) // n]
    clues: list[Clue] = []
    clues += [(kind, a, k) for kind in ("at", "notat") for a in values for k in range(1, n + 1)]
    clues += [(kind, a, b) for kind in ("same", "notsame") for a, b in mixed]
    clues += [(kind, a, b) for kind in ("left", "imm") for a, b in permutations(values, 2)]
    clues += [("adj", a, b) for a, b in couples]
    return make_table(clues, holds, symmetric=("same", "notsame", "adj"))


@dataclass(frozen=True, slots=True)
class LogicInstance:
    """A puzzle and its split.

    Attributes:
        n: Houses.
        clues: True clues that leave one arrangement.
        owner: For each clue the view that shows it, 1 or 2.
    """

    n: int
    clues: tuple[Clue, ...]
    owner: tuple[Owner, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The values of the houses."""
        return _names(self.n)


@dataclass(frozen=True, slots=True)
class LogicView:
    """The number of houses, and the clues of one view or both."""

    n: int
    clues: tuple[Clue, ...] = ()
    whole: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The values of the houses."""
        return _names(self.n)


class Logic(ClueTask[LogicInstance, LogicConfig, LogicView]):
    """The row of houses."""

    answer_fields = ("assignment",)
    config_type = LogicConfig
    instance_type = LogicInstance
    view_type = LogicView
    subject = "n"
    rates = RATES
    sentences = (
        ("at", Sentence("{0} is in house {1:d} (counting from the left)")),
        ("notat", Sentence("{0} is not in house {1:d} (counting from the left)")),
        ("same", Sentence("{0} and {1} belong to the same house")),
        ("notsame", Sentence("{0} and {1} belong to different houses")),
        ("left", Sentence("{0} is somewhere to the left of {1}")),
        ("imm", Sentence("{0} is directly left of {1}")),
        ("adj", Sentence("{0} and {1} are next to each other")),
    )
    head = re.compile(r"^(\d) houses stand in a row\. Each has .*$", re.MULTILINE)
    question = (
        "Find colour, nation and drink of every house (answer counts houses from the left, "
        "1 = leftmost)."
    )
    rule = (
        "Houses stand in a row; no two of them share a colour, a nation or a drink. Find the one "
        "assignment that agrees with all clues."
    )
    form = '{"assignment": {"1": {"colour": "...", "nation": "...", "drink": "..."}, ...}}'
    note = '"assignment" describes every house; "1" is the leftmost.'
    compact_entries = "1 = leftmost house"
    compact_rule = "houses in a row, all different: find the only assignment that fits all clues"

    def draw(self, config: LogicConfig, rng: np.random.Generator) -> LogicInstance | None:
        """Draw a random assignment."""
        weak = config.weak_percent / 100
        rates = {
            kind: min(1.0, rate * (weak if kind in WEAK else 1)) for kind, rate in RATES.items()
        }
        return self.draw_clues(LogicView(config.n), config.clues_each, rates, rng)

    def table(self, names: Sequence[str]) -> ClueTable:
        """Return the clues about so many houses."""
        return _table(_size(names))

    def answer_of(self, names: Sequence[str], arrangement: int) -> Answer:
        """Say what belongs to each house, 1 = leftmost."""
        rows = zip(VALUES.items(), _rows_of_houses(_size(names))[arrangement], strict=True)
        named = {attribute: [values[v] for v in row] for (attribute, values), row in rows}
        houses = range(_size(names))
        return {"assignment": {str(h + 1): {a: named[a][h] for a in VALUES} for h in houses}}

    def subject_fault(self, puzzle: Puzzle) -> str | None:
        """Say that there are too few or too many houses."""
        if SMALLEST <= _size(puzzle.names) <= LARGEST:
            return None
        return f"n must hold integers {SMALLEST}..{LARGEST}"

    def score(self, instance: LogicInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of right cells; case is ignored."""
        truth = self.solve(instance)["assignment"]
        if not isinstance(truth, dict):
            return Grade(0.0)
        right = 0
        for house, given in assigned(answer, "assignment", truth).items():
            cells = assigned({"house": given}, "house", VALUES)
            expected = truth[house]
            right += sum(
                isinstance(value, str)
                and isinstance(expected, dict)
                and fold(value) == fold(str(expected[attribute]))
                for attribute, value in cells.items()
            )
        return Grade(right / (len(VALUES) * len(truth)))

    def say_turned(self, clue: Clue, size: int, friction: Friction) -> str:
        """Put a clue from the right."""
        kind, a, b = clue
        if isinstance(b, int):
            behind = size // len(VALUES) + 1 - b
            negation = "not " if kind == "notat" else ""
            house = f"{behind} (counting from the right)" if friction == 1 else _letter(behind)
            return f"{a} is {negation}in house {house}"
        if kind == "left":
            return f"{b} is somewhere to the right of {a}"
        return f"{b} is directly right of {a}" if kind == "imm" else self.say_clue(clue)

    def heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Say the houses and their values."""
        n = _size(names)
        values = "; ".join(f"one {a} ({', '.join(values[:n])})" for a, values in VALUES.items())
        head = f"{n} houses stand in a row. Each has {values}; all different."
        return f"{head}\nYour private clues{_frame(n, seat, friction)}:"

    def compact_heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Say the houses and their values."""
        return f"{_size(names)} houses: {' '.join(names)}{_frame(_size(names), seat, friction)}"

    def read_heading(self, match: re.Match[str]) -> LogicView:
        """Return the number of houses."""
        return LogicView(int(match[1]))

    def free_text_answer(self, instance: LogicInstance, messages: Sequence[str]) -> Answer | None:
        """Read the values after "house 1:", "house 2 =", ... in the last message that has any."""
        for message in reversed(messages):
            said = (match.groups() for match in _HOUSE.finditer(message))
            houses = {a or b or c: _cells(cells) for a, b, c, cells in said}
            found: dict[str, Json] = {number: cells for number, cells in houses.items() if cells}
            if found:
                return {"assignment": found}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw four houses with random values."""
        return {
            "assignment": {
                str(house): {a: values[int(rng.integers(4))] for a, values in VALUES.items()}
                for house in range(1, LARGEST + 1)
            }
        }


_HOUSE = re.compile(
    r"(?:\b[Hh]ouse[ \t]+(\d)\b[^\n:=→,;-]{0,30}[:=→-]>?|\bH?(\d)[ \t*]*(?:->|=>|[→:=])"
    r"|^[ \t]*+\|[ \t]*+(?:[Hh]ouse[ \t]++)?(\d)[ \t]*+\|)"
    # Its values, on the same line or as the items below it.
    r"((?:[ \t]*\n)?[^\n;]{1,200}(?:\n[ \t]*[-*•] (?![ \t*]*[Hh]ouse)[^\n;]{1,60}){0,3})",
    re.ASCII | re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z]+")


def _cells(text: str) -> dict[str, Json]:
    """Read the attributes whose values a text names."""
    words = {word.casefold() for word in _WORD.findall(text)}
    named = ((a, v) for a, values in VALUES.items() for v in values if v.casefold() in words)
    return dict(named)


def _size(names: Sequence[str]) -> int:
    """Tell how many houses have these values."""
    return len(names) // len(VALUES)


def _letter(number: int) -> str:
    return "ABCD"[number - 1]


def _frame(n: int, seat: Seat, friction: Friction) -> str:
    if seat == 1 or friction < 2:
        return ""
    return f" (houses have letters from A at the right end to {_letter(n)} at the left)"
