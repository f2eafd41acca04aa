"""What tasks share whose instance is a set of facts that are dealt out to the two views.

Every fact belongs to view 1 or view 2, its last entry; names, ends and queries are known to both.
A task says how a fact reads, when an instance is legal and how hidden facts are redrawn.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import entries_fault
from coordgym.silo_env.pairs.facts.sentences import Fact, Relation
from coordgym.silo_env.pairs.task import (
    ConfigT,
    Facts,
    Friction,
    InstanceT,
    PairTask,
    Seat,
    ViewT,
)

COMPLETION_DRAWS = 300
"""Draws of hidden facts before the true ones are kept."""
GUESS_DRAWS = 6000
DRAWS_PER_COUNT = 50
"""Draws of a guess before another number of hidden facts is tried."""

Drawn: TypeAlias = Mapping[str, Sequence[Fact]]
"""Hidden facts by the field that they belong to."""


class DealtFactsTask(PairTask[InstanceT, ConfigT, ViewT]):
    """A task whose facts are dealt to two views.

    A view has the shared fields and after them the dealt ones, whose facts have no owner there,
    and last ``whole: bool = False``.

    Attributes:
        shared_fields: Fields that both views show.
        dealt_fields: Fields with tuples of facts, each with its owner at the end.
        things: What the names stand for, such as "islands".
        relations: What the facts of each field say, for whoever reads claims about them.
    """

    shared_fields: ClassVar[tuple[str, ...]] = ("nodes",)
    dealt_fields: ClassVar[tuple[str, ...]] = ("edges",)
    things: ClassVar[str] = "nodes"
    relations: ClassVar[Mapping[str, Relation]] = {}
    reader = "coordgym.silo_env.pairs.dialogue.readers.relations:dealt_reader"

    @abstractmethod
    def draw_hidden(
        self, view: ViewT, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw facts that may be hidden from a view.

        Args:
            view: What is known.
            counts: How many facts of each field to draw.
            rng: Source of the draws.

        Returns:
            None if the draw came to nothing; the union need not be legal.
        """

    @abstractmethod
    def say_view(self, view: ViewT, words: Seat) -> str:
        """Put a view into the words of view 1 or view 2."""

    @abstractmethod
    def say_briefly(self, view: ViewT) -> str:
        """Put a view into few tokens."""

    def named(self, view: ViewT) -> Iterable[str]:
        """Return the names that a view mentions, in the order in which they are numbered."""
        return cast("Iterable[str]", cast("Any", view).nodes)

    def numbers(self, facts: Facts) -> dict[str, str]:
        """Return what view 2 writes for each name at friction 2, from its own facts."""
        return self._numbers(self.from_facts(facts))

    def bounds_fault(self, instance: InstanceT) -> str | None:
        """Say what is no name, too large or too long."""
        parts = (*self.shared_fields, *self.dealt_fields)
        faults = (entries_fault(field, getattr(instance, field)) for field in parts)
        return next(filter(None, faults), None)

    # --- the two views and their union ---------------------------------------------------

    def view(self, instance: InstanceT, seat: Seat | None) -> ViewT:
        """Return what both views show and the facts of the seat; all facts are sorted."""
        shown: dict[str, object] = {f: getattr(instance, f) for f in self.shared_fields}
        for field in self.dealt_fields:
            dealt: Sequence[Fact] = getattr(instance, field)
            known = (fact[:-1] for fact in dealt if seat in (None, fact[-1]))
            shown[field] = tuple(sorted(known) if seat is None else known)
        made: Any = self.view_type
        return cast("ViewT", made(**shown, whole=seat is None))

    def join(self, views: Sequence[ViewT]) -> InstanceT | None:
        """Join views that share no fact, or take the whole; None if they don't fit together."""
        parts: Sequence[Any] = views
        if any(self._shared(part) != self._shared(parts[0]) for part in parts):
            return None
        whole = next((k for k, part in enumerate(parts) if part.whole), None)
        dealt: dict[str, tuple[Fact, ...]] = {}
        for field in self.dealt_fields:
            known: list[tuple[Fact, ...]] = [getattr(part, field) for part in parts]
            if whole is not None:
                fits = all(set(known[whole]).issuperset(each) for each in known)
                dealt[field] = _owned(known[whole], whole + 1)
            else:
                fits = len(parts) > 1 and len(set().union(*known)) == sum(map(len, known))
                dealt[field] = tuple(f for k, x in enumerate(known, 1) for f in _owned(x, k))
            if not fits:
                return None
        return self._with_dealt(views[0], dealt)

    def redraw(
        self, view: ViewT, rng: np.random.Generator, like: InstanceT | None = None
    ) -> InstanceT | None:
        """Draw as many hidden facts as ``like`` has in their places, else about as many as known.

        Without ``like`` view 1 gets the known facts and view 2 the others.
        """
        known: Drawn = {field: getattr(view, field) for field in self.dealt_fields}
        attempts = count()

        def guessed() -> InstanceT | None:
            likely = self.likely_counts(view, next(attempts) // DRAWS_PER_COUNT)
            drawn = self.draw_hidden(view, likely, rng)
            if drawn is None:
                return None
            dealt = {f: (*_owned(known[f], 1), *_owned(drawn[f], 2)) for f in self.dealt_fields}
            return self._with_dealt(view, dealt)

        if like is None:
            return first_accepted(guessed, self._is_legal, GUESS_DRAWS)
        dealt: Drawn = {field: getattr(like, field) for field in self.dealt_fields}
        counts = {field: len(dealt[field]) - len(known[field]) for field in self.dealt_fields}

        def completed() -> InstanceT | None:
            drawn = self.draw_hidden(view, counts, rng)
            if drawn is None:
                return None
            placed = {f: _placed(dealt[f], known[f], drawn[f]) for f in self.dealt_fields}
            return self._with_dealt(view, placed)

        return first_accepted(completed, self._is_legal, COMPLETION_DRAWS)

    def likely_counts(self, view: ViewT, attempt: int) -> dict[str, int]:
        """Say how many facts may be hidden: as many as are known, then one more, one less, ..."""
        drift = (attempt + 1) // 2 * (1 if attempt % 2 else -1)
        return {f: max(0, len(getattr(view, f)) + drift) for f in self.dealt_fields}

    def _is_legal(self, instance: InstanceT) -> bool:
        return self.fault(instance) is None

    def _shared(self, view: object) -> dict[str, object]:
        return {field: getattr(view, field) for field in self.shared_fields}

    def _with_dealt(self, view: ViewT, dealt: Mapping[str, object]) -> InstanceT:
        made: Any = self.instance_type
        return cast("InstanceT", made(**self._shared(view), **dealt))

    # --- texts ---------------------------------------------------------------------------

    def say(self, view: ViewT, seat: Seat, friction: Friction) -> str:
        """Put the facts into the words of the seat; at friction 2 the second view counts names."""
        shown, frame = self._framed(view, seat, friction)
        return self.say_view(shown, 1 if friction == 0 else seat) + frame

    def say_compact(self, view: ViewT, seat: Seat, friction: Friction) -> str:
        """Put the facts into few tokens."""
        shown, frame = self._framed(view, seat, friction)
        return self.say_briefly(shown) + frame

    def _framed(self, view: ViewT, seat: Seat, friction: Friction) -> tuple[ViewT, str]:
        """Return the facts as the seat writes them, and the key to its names."""
        if not (friction == 2 and seat == 2):
            return view, ""
        numbers = self._numbers(view)
        dealt = {field: _renamed(getattr(view, field), numbers) for field in self.dealt_fields}
        key = ", ".join(f"{number}={name}" for name, number in numbers.items())
        frame = f"\nYour facts write the {self.things} as numbers: {key}. Answers use the names."
        return cast("ViewT", replace(cast("Any", view), **dealt)), frame

    def _numbers(self, view: ViewT) -> dict[str, str]:
        return {name: str(number) for number, name in enumerate(self.named(view), 1)}


def _owned(facts: Iterable[Fact], owner: int) -> tuple[Fact, ...]:
    """Return facts with their owner at the end."""
    return tuple((*fact, owner) for fact in facts)


def _placed(
    dealt: Iterable[Fact], known: Iterable[Fact], drawn: Iterable[Fact]
) -> tuple[Fact, ...]:
    """Return dealt facts with drawn ones in the places of those that are not known."""
    kept, hidden = set(known), iter(drawn)
    return tuple(fact if fact[:-1] in kept else (*next(hidden), fact[-1]) for fact in dealt)


def _renamed(value: object, numbers: Mapping[str, str]) -> Any:
    """Return facts with numbers for names, wherever they stand."""
    if isinstance(value, str):
        return numbers.get(value, value)
    return tuple(_renamed(item, numbers) for item in value) if isinstance(value, tuple) else value
