"""Puzzles of clues, half of them in each view: what ``order``, ``seating`` and ``logic`` share.

A puzzle has finitely many arrangements (queues, circles, houses). A table says for every clue
that can be given of which arrangements it is true; solving, drawing and completing a puzzle are
operations on its rows.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile, takewhile
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import length_fault
from coordgym.silo_env.pairs.facts.owners import Owner, SplitView, if_split, unsplit
from coordgym.silo_env.pairs.facts.sentences import Sentence
from coordgym.silo_env.pairs.task import Answer, ConfigT, Facts, Friction, PairTask, Seat

Clue: TypeAlias = tuple[str | int, ...]
"""A kind, then what it speaks of: names and numbers."""
Truth: TypeAlias = NDArray[np.bool_]

MOST_CLUES = 40
MAX_TRIES = 400
"""Draws of hidden clues after which every true clue is given instead."""


class ClueTable(NamedTuple):
    """The clues of puzzles of one size, and of which arrangements they are true.

    Attributes:
        clues: Clues in which "0", "1", ... stand for the first, second, ... name.
        row: The row of each clue; of symmetric ones in both orders.
        truth: Row by clue, column by arrangement.
    """

    clues: tuple[Clue, ...]
    row: Mapping[Clue, int]
    truth: Truth


def make_table(
    clues: Iterable[Clue], holds: Callable[[Clue], Truth], symmetric: Collection[str]
) -> ClueTable:
    """Tabulate clues, each of which ``holds`` evaluates for all arrangements at once."""
    listed = tuple(clues)
    row = {clue: index for index, clue in enumerate(listed)}
    swapped = {
        (kind, b, a, *rest): index
        for (kind, a, b, *rest), index in row.items()
        if str(kind) in symmetric
    }
    return ClueTable(listed, {**swapped, **row}, np.stack([holds(clue) for clue in listed]))


def rows_of(table: ClueTable, names: Sequence[str], clues: Iterable[Clue]) -> list[int] | None:
    """Return the rows of clues; None if one of them is not in the table."""
    number = {name: str(index) for index, name in enumerate(names)}
    rows: list[int] = []
    for given in clues:
        kind, *about = given or ("",)
        clue = (kind, *(number.get(x, "") if isinstance(x, str) else x for x in about))
        if clue not in table.row:
            return None
        rows.append(table.row[clue])
    return rows


def named(clue: Clue, names: Sequence[str]) -> Clue:
    """Return the clue of a table with names in the places of their numbers."""
    kind, *about = clue
    return (kind, *(names[int(x)] if isinstance(x, str) else x for x in about))


class Puzzle(Protocol):
    """Clues about some names."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the clues speak of."""

    @property
    def clues(self) -> tuple[Clue, ...]:
        """The clues."""


class SplitPuzzle(Puzzle, Protocol):
    """An instance: true clues that leave one arrangement."""

    @property
    def owner(self) -> tuple[Owner, ...]:
        """For each clue the view that shows it."""


class ShownPuzzle(Puzzle, SplitView, Protocol):
    """A view."""


InstanceT = TypeVar("InstanceT", bound=SplitPuzzle)
ViewT = TypeVar("ViewT", bound=ShownPuzzle)


class ClueTask(PairTask[InstanceT, ConfigT, ViewT]):
    """A task whose views are lists of clues.

    Its instances have the subject, clues and owner; its views the subject, clues and
    ``whole: bool = False``.

    Attributes:
        subject: The field that tells the names.
        rates: How often a true clue of each kind is considered when clues are drawn.
        sentences: The wording of view 1 by kind; its slots are what a clue speaks of.
        head: Pattern of the heading of a list of clues at friction 0.
        question: What is asked, the line below the clues.
    """

    split = "You have half of the clues, the other agent has the other half."
    compact_split = "the other agent has the other half of the clues"
    subject: ClassVar[str] = "names"
    rates: ClassVar[Mapping[str, float]]
    sentences: ClassVar[Sequence[tuple[str, Sentence]]]
    head: ClassVar[re.Pattern[str]]
    question: ClassVar[str]
    reader = "coordgym.silo_env.pairs.dialogue.readers.clues:clue_reader"

    @abstractmethod
    def table(self, names: Sequence[str]) -> ClueTable:
        """Return the table of puzzles of this size."""

    @abstractmethod
    def answer_of(self, names: Sequence[str], arrangement: int) -> Answer:
        """Return the answer that a column of the table is."""

    @abstractmethod
    def subject_fault(self, puzzle: Puzzle) -> str | None:
        """Say what is wrong with the names; None if nothing is."""

    @abstractmethod
    def say_turned(self, clue: Clue, size: int, friction: Friction) -> str:
        """Put a clue into the words of view 2, at friction 1 or 2."""

    @abstractmethod
    def heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Return the lines above the clues."""

    @abstractmethod
    def compact_heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Return the same facts in few tokens."""

    @abstractmethod
    def read_heading(self, match: re.Match[str]) -> ViewT:
        """Return a view without clues, from a match of the head."""

    # --- instances ---------------------------------------------------------------------------

    def draw_clues(
        self, blank: ViewT, count: int, rates: Mapping[str, float], rng: np.random.Generator
    ) -> InstanceT | None:
        """Draw ``count`` clues of a random arrangement for each view of a puzzle without clues.

        None unless all clues together leave one arrangement and either half leaves several.
        """
        table = self.table(blank.names)
        true = np.flatnonzero(table.truth[:, rng.integers(table.truth.shape[1])])
        rows = _thin(table, true, rates, rng)[: 2 * count]
        if len(rows) < 2 * count or _count(table, rows) != 1:
            return None
        if any(_count(table, rows[half::2]) == 1 for half in (0, 1)):
            return None
        clues = [named(table.clues[row], blank.names) for row in rows]
        return self._instance(blank, clues, (1, 2) * count)

    def fault(self, instance: InstanceT) -> str | None:
        """Say why the clues don't leave one arrangement of the names."""
        clues = instance.clues
        fault = (
            self.subject_fault(instance)
            or length_fault("clues", clues, 1, MOST_CLUES)
            or length_fault("owner", instance.owner, len(clues), len(clues))
        )
        if fault is not None:
            return fault
        rows = self._rows(instance.names, clues)
        if rows is None:
            kinds = ", ".join(self.rates)
            return f"clues must be of the kinds {kinds} and speak of known names"
        solutions = _count(self.table(instance.names), rows)
        if solutions != 1:
            return f"clues must leave one solution, they leave {solutions}"
        return None

    def solution(self, instance: InstanceT) -> int:
        """Return the arrangement that the clues leave."""
        table = self.table(instance.names)
        rows = self._rows(instance.names, instance.clues) or []
        return int(np.argmax(table.truth[rows].all(axis=0)))

    def solve(self, instance: InstanceT) -> Answer:
        """Return the arrangement that the clues leave."""
        return self.answer_of(instance.names, self.solution(instance))

    def _rows(self, names: Sequence[str], clues: Iterable[Clue]) -> list[int] | None:
        """Return the table's rows of clues; None if one of them is none of the puzzle's."""
        return rows_of(self.table(names), names, clues)

    def _instance(
        self, puzzle: Puzzle, clues: Iterable[Clue], owner: Sequence[int] | None = None
    ) -> InstanceT:
        """Return an instance with these clues about the same names, by default all in view 1."""
        listed, made = tuple(clues), cast("Any", self.instance_type)
        subject = getattr(puzzle, self.subject)
        return cast("InstanceT", made(subject, listed, owner or unsplit(len(listed))))

    # --- views -------------------------------------------------------------------------------

    def view(self, instance: InstanceT, seat: Seat | None) -> ViewT:
        """Return the clues of a view; those of both in alphabetical order."""
        shown = zip(instance.clues, instance.owner, strict=True)
        clues = [clue for clue, owner in shown if seat in (None, owner)]
        if seat is None:
            clues = sorted(set(clues))
        made, subject = cast("Any", self.view_type), getattr(instance, self.subject)
        return cast("ViewT", made(subject, tuple(clues), seat is None))

    def join(self, views: Sequence[ViewT]) -> InstanceT | None:
        """Put the clues together; None if they speak of other names."""
        if any(view.names != views[0].names for view in views):
            return None
        return self._instance(views[0], sorted({clue for view in views for clue in view.clues}))

    def redraw(
        self, view: ViewT, rng: np.random.Generator, like: InstanceT | None = None
    ) -> InstanceT | None:
        """Invent as many clues as the other view of ``like`` has, or as this view has."""
        own = view.clues
        if like is None:
            return self._instance(view, (*own, *self._hidden_clues(view, len(own), rng)))
        hidden = len(like.clues) - len(own)
        drawn = self._hidden_clues(view, hidden, rng)
        if len(drawn) != hidden:
            return None
        seat, supply = self.seat_of(like, view), iter(drawn)
        clues = (
            clue if owner == seat else next(supply)
            for clue, owner in zip(like.clues, like.owner, strict=True)
        )
        return self._instance(view, clues, like.owner)

    def _hidden_clues(self, view: ViewT, count: int, rng: np.random.Generator) -> list[Clue]:
        """Draw ``count`` clues (or all true ones) that leave one arrangement with the given."""
        table, rows = self.table(view.names), self._rows(view.names, view.clues) or []
        possible = table.truth[rows].all(axis=0)
        allowed = np.flatnonzero(possible)

        def draw() -> NDArray[np.int_]:
            true = table.truth[:, rng.choice(allowed)]
            others = np.setdiff1d(np.flatnonzero(true), rows)
            return _thin(table, others, self.rates, rng)[:count]

        def leaves_one(drawn: NDArray[np.int_]) -> bool:
            left = table.truth[drawn].all(axis=0) & possible
            return len(drawn) == count and int(left.sum()) == 1

        chosen = first_accepted(draw, leaves_one, MAX_TRIES)
        if chosen is None:
            chosen = np.setdiff1d(np.flatnonzero(table.truth[:, allowed[0]]), rows)
        return [named(table.clues[row], view.names) for row in chosen]

    # --- texts -------------------------------------------------------------------------------

    def names(self, facts: Facts) -> tuple[str, ...]:
        """Return what the clues of a view in JSON speak of."""
        return self.from_facts(facts).names

    def say_clue(self, clue: Clue) -> str:
        """Put a clue into the words of view 1."""
        kind, *about = clue
        sentence = next(sentence for spoken, sentence in self.sentences if spoken == kind)
        return sentence.say(about)

    def say(self, view: ViewT, seat: Seat, friction: Friction) -> str:
        """Write the heading, the clues and what is asked."""
        said = [f"- {clue}" for clue in self._said(view, seat, friction)]
        closing = if_split(view, "Your partner has other clues. ") + self.question
        return "\n".join([self.heading(view.names, seat, friction), *said, closing])

    def say_compact(self, view: ViewT, seat: Seat, friction: Friction) -> str:
        """Write the clues below a short heading."""
        said = self._said(view, seat, friction)
        return "\n".join([self.compact_heading(view.names, seat, friction), *said])

    def _said(self, view: ViewT, seat: Seat, friction: Friction) -> list[str]:
        if seat == 1 or friction == 0:
            return [self.say_clue(clue) for clue in view.clues]
        return [self.say_turned(clue, len(view.names), friction) for clue in view.clues]

    def hear(self, text: str) -> ViewT | None:
        """Read the first list of clues below a heading."""
        match = self.head.search(text)
        if match is None:
            return None
        blank = self.read_heading(match)
        heard = [self._heard(item) for item in _first_list(text[match.end() :])]
        clues = tuple(clue for clue in heard if clue is not None)
        if not clues or len(clues) < len(heard) or self.subject_fault(blank) is not None:
            return None
        return cast("ViewT", replace(cast("Any", blank), clues=clues))

    def _heard(self, line: str) -> Clue | None:
        for kind, sentence in self.sentences:
            about = sentence.read(line)
            if about is not None:
                return (kind, *about)
        return None

    def check_steps(self, instance: InstanceT, answer: Answer) -> list[str]:
        """Check every clue."""
        return [f"{self.say_clue(clue)}, holds" for clue in sorted(set(instance.clues))]


def _thin(
    table: ClueTable, rows: NDArray[np.int_], rates: Mapping[str, float], rng: np.random.Generator
) -> NDArray[np.int_]:
    """Keep each row at the rate of its kind, in random order."""
    kept = rng.random(len(rows)) < [rates[str(table.clues[row][0])] for row in rows]
    return rng.permutation(rows[kept])


def _count(table: ClueTable, rows: Sequence[int] | NDArray[np.int_]) -> int:
    """Count the arrangements that clues leave."""
    return int(table.truth[rows].all(axis=0).sum())


def _first_list(text: str) -> list[str]:
    """Return the first lines of a text that follow each other and start with a dash."""
    lines = [line.strip() for line in text.splitlines()]
    rest = dropwhile(lambda line: not line.startswith("- "), lines)
    return [line[2:] for line in takewhile(lambda line: line.startswith("- "), rest)]
