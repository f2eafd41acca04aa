"""Puzzles of clues, half of them in each view: what ``order``, ``seating`` and ``logic`` share.

A puzzle has finitely many arrangements (queues, circles, houses). A table says for every clue
that can be given of which arrangements it is true; solving, drawing and completing a puzzle are
operations on its rows.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile
from typing import ClassVar, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import InstanceError
from coordgym.silo_env.pairs.facts.instances import require_list, require_owners
from coordgym.silo_env.pairs.facts.sentences import Sentence
from coordgym.silo_env.pairs.shapes.dealt_facts import WHOLE, if_split
from coordgym.silo_env.pairs.task import (
    Answer,
    ConfigT,
    Facts,
    Friction,
    Json,
    PairTask,
    Seat,
)

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
    """The rows of clues; None if one of them is not in the table."""
    number = {name: str(index) for index, name in enumerate(names)}
    rows: list[int] = []
    for kind, *about in clues:
        clue = (kind, *(number.get(x, "") if isinstance(x, str) else x for x in about))
        if clue not in table.row:
            return None
        rows.append(table.row[clue])
    return rows


def named(clue: Clue, names: Sequence[str]) -> Clue:
    """The clue of a table with names in the places of their numbers."""
    kind, *about = clue
    return (kind, *(names[int(x)] if isinstance(x, str) else x for x in about))


def read_clue(entry: object) -> Clue:
    """Check the form of a clue in JSON.

    Raises:
        InstanceError: It is no short list of strings and integers.
    """
    if not isinstance(entry, list | tuple) or not 2 <= len(entry) <= 4:
        raise InstanceError("a clue must be a list of 2..4 entries")
    if any(isinstance(part, bool) or not isinstance(part, str | int) for part in entry):
        raise InstanceError("a clue must hold strings and integers")
    return tuple(entry)


@dataclass(frozen=True, slots=True)
class ClueInstance:
    """A puzzle and its split.

    Attributes:
        names: What the clues speak of.
        clues: True clues that leave one arrangement.
        owner: For each clue the view that shows it, 1 or 2.
    """

    names: tuple[str, ...]
    clues: tuple[Clue, ...]
    owner: tuple[int, ...]


class ClueTask(PairTask[ClueInstance, ConfigT]):
    """A task whose views are lists of clues.

    Attributes:
        rates: How often a true clue of each kind is considered when clues are drawn.
        sentences: The wording of view 1 by kind; its slots are what a clue speaks of.
        head: Pattern of the heading of a list of clues at friction 0.
        question: What is asked, the line below the clues.
    """

    category = "csp"
    split = "You have half of the clues, the other agent has the other half."
    compact_split = "the other agent has the other half of the clues"
    rates: ClassVar[Mapping[str, float]]
    sentences: ClassVar[Sequence[tuple[str, Sentence]]]
    head: ClassVar[re.Pattern[str]]
    question: ClassVar[str]

    @abstractmethod
    def table(self, names: Sequence[str]) -> ClueTable:
        """The table of puzzles of this size."""

    @abstractmethod
    def answer_of(self, names: Sequence[str], arrangement: int) -> Answer:
        """The answer that a column of the table is."""

    @abstractmethod
    def subject(self, names: Sequence[str]) -> dict[str, Json]:
        """The JSON fields that stand for the names."""

    @abstractmethod
    def read_subject(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """The names of an instance in JSON; raises InstanceError."""

    @abstractmethod
    def say_turned(self, clue: Clue, size: int, friction: Friction) -> str:
        """A clue in the words of view 2, at friction 1 or 2."""

    @abstractmethod
    def heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """The lines above the clues."""

    @abstractmethod
    def compact_heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """The same facts in few tokens."""

    @abstractmethod
    def read_heading(self, match: re.Match[str]) -> dict[str, Json]:
        """The JSON fields that stand for the names, from a match of the head."""

    # --- instances ---------------------------------------------------------------------------

    def draw_clues(
        self,
        names: tuple[str, ...],
        count: int,
        rates: Mapping[str, float],
        rng: np.random.Generator,
    ) -> ClueInstance | None:
        """Draw ``count`` clues of a random arrangement for each view.

        None unless all clues together leave one arrangement and either half leaves several.
        """
        table = self.table(names)
        true = np.flatnonzero(table.truth[:, rng.integers(table.truth.shape[1])])
        rows = _thin(table, true, rates, rng)[: 2 * count]
        if len(rows) < 2 * count or _count(table, rows) != 1:
            return None
        if any(_count(table, rows[half::2]) == 1 for half in (0, 1)):
            return None
        clues = tuple(named(table.clues[row], names) for row in rows)
        return ClueInstance(names, clues, (1, 2) * count)

    def read_instance(self, given: Mapping[str, object]) -> ClueInstance:
        """Check a puzzle given as JSON: its subject, clues, owner."""
        names = self.read_subject(given)
        entries = require_list("clues", given.get("clues"), 1, MOST_CLUES)
        clues = tuple(read_clue(entry) for entry in entries)
        owner = require_owners("owner", given.get("owner"), len(clues))
        rows = self._rows(names, clues)
        if rows is None:
            kinds = ", ".join(self.rates)
            raise InstanceError(f"clues must be of the kinds {kinds} and speak of known names")
        solutions = _count(self.table(names), rows)
        if solutions != 1:
            raise InstanceError(f"clues must leave one solution, they leave {solutions}")
        return ClueInstance(names, clues, owner)

    def to_json(self, instance: ClueInstance) -> dict[str, Json]:
        """The subject, clues and owner."""
        return {
            **self.subject(instance.names),
            "clues": [list(clue) for clue in instance.clues],
            "owner": list(instance.owner),
        }

    def solution(self, instance: ClueInstance) -> int:
        """The arrangement that the clues leave."""
        table = self.table(instance.names)
        rows = self._rows(instance.names, instance.clues) or []
        return int(np.argmax(table.truth[rows].all(axis=0)))

    def solve(self, instance: ClueInstance) -> Answer:
        """The arrangement that the clues leave."""
        return self.answer_of(instance.names, self.solution(instance))

    def optimal_answers(self, instance: ClueInstance, limit: int) -> list[Answer]:
        """The one solution."""
        return [self.solve(instance)][:limit]

    def _rows(self, names: Sequence[str], clues: Iterable[Clue]) -> list[int] | None:
        """The table's rows of clues; None if one of them is none of the puzzle's."""
        return rows_of(self.table(names), names, clues)

    # --- views -------------------------------------------------------------------------------

    def facts(self, instance: ClueInstance, seat: Seat | None) -> Facts:
        """The clues of a view; those of both in alphabetical order."""
        subject = self.subject(instance.names)
        if seat is None:
            clues = sorted(set(instance.clues))
            return {**subject, "clues": [list(clue) for clue in clues], WHOLE: True}
        shown = zip(instance.clues, instance.owner, strict=True)
        return {**subject, "clues": [list(clue) for clue, owner in shown if owner == seat]}

    def merge(self, views: Sequence[Facts]) -> ClueInstance | None:
        """Put the clues together; None unless they leave exactly one arrangement."""
        names = self.read_subject(views[0])
        if any(self.read_subject(view) != names for view in views):
            return None
        clues = tuple(sorted({clue for view in views for clue in _clues(view)}))
        rows = self._rows(names, clues)
        if rows is None or _count(self.table(names), rows) != 1:
            return None
        return ClueInstance(names, clues, (1,) * len(clues))

    def complete(
        self, instance: ClueInstance, seat: Seat, rng: np.random.Generator
    ) -> ClueInstance:
        """Give the other view as many clues of an arrangement that this view allows."""
        shown = zip(instance.clues, instance.owner, strict=True)
        own = [clue for clue, owner in shown if owner == seat]
        hidden = len(instance.clues) - len(own)
        drawn = self._hidden_clues(instance.names, own, hidden, rng)
        if len(drawn) != hidden:
            return instance
        supply = iter(drawn)
        clues = tuple(
            clue if owner == seat else next(supply)
            for clue, owner in zip(instance.clues, instance.owner, strict=True)
        )
        return replace(instance, clues=clues)

    def guess(self, facts: Facts, rng: np.random.Generator) -> ClueInstance:
        """Invent as many clues as the view has."""
        names, own = self.read_subject(facts), _clues(facts)
        hidden = self._hidden_clues(names, own, len(own), rng)
        clues = (*own, *hidden)
        return ClueInstance(names, clues, (1,) * len(clues))

    def _hidden_clues(
        self, names: tuple[str, ...], own: Sequence[Clue], count: int, rng: np.random.Generator
    ) -> list[Clue]:
        """Draw ``count`` clues (or all true ones) that leave one arrangement with the given."""
        table, rows = self.table(names), self._rows(names, own) or []
        possible = table.truth[rows].all(axis=0)
        allowed = np.flatnonzero(possible)
        for _ in range(MAX_TRIES):
            true = table.truth[:, rng.choice(allowed)]
            others = np.setdiff1d(np.flatnonzero(true), rows)
            drawn = _thin(table, others, self.rates, rng)[:count]
            if len(drawn) == count and (table.truth[drawn].all(axis=0) & possible).sum() == 1:
                return [named(table.clues[row], names) for row in drawn]
        others = np.setdiff1d(np.flatnonzero(table.truth[:, allowed[0]]), rows)
        return [named(table.clues[row], names) for row in others]

    # --- texts -------------------------------------------------------------------------------

    def say(self, clue: Clue) -> str:
        """A clue in the words of view 1."""
        kind, *about = clue
        sentence = next(sentence for spoken, sentence in self.sentences if spoken == kind)
        return sentence.say(about)

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The heading, the clues and what is asked."""
        names = self.read_subject(facts)
        said = [f"- {clue}" for clue in self._said(facts, len(names), seat, friction)]
        closing = if_split(facts, "Your partner has other clues. ") + self.question
        return "\n".join([self.heading(names, seat, friction), *said, closing])

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The clues below a short heading."""
        names = self.read_subject(facts)
        said = self._said(facts, len(names), seat, friction)
        return "\n".join([self.compact_heading(names, seat, friction), *said])

    def _said(self, facts: Facts, size: int, seat: Seat, friction: Friction) -> list[str]:
        if seat == 1 or friction == 0:
            return [self.say(clue) for clue in _clues(facts)]
        return [self.say_turned(clue, size, friction) for clue in _clues(facts)]

    def read_view(self, text: str) -> Facts | None:
        """Read the first list of clues below a heading."""
        match = self.head.search(text)
        if match is None:
            return None
        clues = [self._heard(item) for item in _first_list(text[match.end() :])]
        subject = self.read_heading(match)
        try:
            self.read_subject(subject)
        except InstanceError:
            return None
        if not clues or None in clues:
            return None
        return {**subject, "clues": cast("list[Json]", clues)}

    def _heard(self, line: str) -> list[Json] | None:
        for kind, sentence in self.sentences:
            about = sentence.read(line)
            if about is not None:
                return [kind, *about]
        return None

    def check_steps(self, instance: ClueInstance, answer: Answer) -> list[str]:
        """Every clue, checked."""
        return [f"{self.say(clue)}, holds" for clue in sorted(set(instance.clues))]


def _thin(
    table: ClueTable, rows: NDArray[np.int_], rates: Mapping[str, float], rng: np.random.Generator
) -> NDArray[np.int_]:
    """Keep each row at the rate of its kind, in random order."""
    kept = rng.random(len(rows)) < [rates[str(table.clues[row][0])] for row in rows]
    return rng.permutation(rows[kept])


def _count(table: ClueTable, rows: Sequence[int] | NDArray[np.int_]) -> int:
    """How many arrangements clues leave."""
    return int(table.truth[rows].all(axis=0).sum())


def _first_list(text: str) -> list[str]:
    """The first lines of a text that follow each other and start with a dash."""
    lines = [line.strip() for line in text.splitlines()]
    rest = dropwhile(lambda line: not line.startswith("- "), lines)
    return [line[2:] for line in takewhile(lambda line: line.startswith("- "), rest)]


def _clues(facts: Facts) -> list[Clue]:
    listed = facts["clues"]
    return [read_clue(clue) for clue in listed] if isinstance(listed, list) else []
