"""What tasks share whose instance is a set of facts that are dealt out to the two views.

Every fact belongs to view 1 or view 2, its last entry; names, ends and queries are known to both.
A task says how a fact reads, when an instance is legal and how hidden facts are redrawn.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.pairs.facts.sentences import Fact, Relation, names
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import (
    ConfigT,
    Facts,
    Friction,
    InstanceT,
    Json,
    Seat,
)

COMPLETION_DRAWS = 300
"""Draws of hidden facts before the true ones are kept."""
GUESS_DRAWS = 6000
DRAWS_PER_COUNT = 50
"""Draws of a guess before another number of hidden facts is tried."""

Drawn: TypeAlias = Mapping[str, Sequence[Fact]]
"""Hidden facts by the field that they belong to."""

WHOLE = "whole"
"""Marks the facts of both views together."""


class WideDealtFactsTask(WideTask[InstanceT, ConfigT]):
    """A task whose facts are dealt to two views.

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
    def fault(self, instance: InstanceT) -> str | None:
        """What makes an instance illegal or unsolvable; None if nothing does."""

    @abstractmethod
    def draw_hidden(
        self, view: InstanceT, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw facts that may be hidden from a view.

        Args:
            view: An instance that holds the known facts only.
            counts: How many facts of each field to draw.
            rng: Source of the draws.

        Returns:
            None if the draw came to nothing; the union need not be legal.
        """

    @abstractmethod
    def say_view(self, facts: Facts, words: Seat) -> str:
        """A view in the words of view 1 or view 2."""

    @abstractmethod
    def say_briefly(self, facts: Facts) -> str:
        """A view in few tokens."""

    def named(self, facts: Facts) -> Sequence[str]:
        """The names that a view mentions, in the order in which they are numbered."""
        return names(facts, "nodes")

    def numbers(self, facts: Facts) -> dict[str, str]:
        """What view 2 writes for each name at friction 2, from its own facts."""
        return {name: str(number) for number, name in enumerate(self.named(facts), 1)}

    def checked(self, instance: InstanceT) -> InstanceT:
        """The instance, if it is legal.

        Raises:
            InstanceError: It is not.
        """
        fault = self.fault(instance)
        if fault is not None:
            raise InstanceError(fault)
        return instance

    # --- the two views and their union ---------------------------------------------------

    def facts(self, instance: InstanceT, seat: Seat | None) -> Facts:
        """What both views show and the facts of the seat; all facts are sorted."""
        shown: Facts = {field: _plain(getattr(instance, field)) for field in self.shared_fields}
        for field in self.dealt_fields:
            dealt: Sequence[Fact] = getattr(instance, field)
            if seat is None:
                shown[field] = [list(fact) for fact in sorted(fact[:-1] for fact in dealt)]
            else:
                shown[field] = [list(fact[:-1]) for fact in dealt if fact[-1] == seat]
        return {**shown, WHOLE: True} if seat is None else shown

    def known_to(self, facts: Facts, owner: int) -> InstanceT:
        """An instance that holds the facts of one view only."""
        fields: dict[str, object] = {field: _frozen(facts[field]) for field in self.shared_fields}
        for field in self.dealt_fields:
            value = facts[field]
            found = value if isinstance(value, list) else []
            fields[field] = tuple((*row, owner) for row in found if isinstance(row, list))
        return cast("InstanceT", cast("Any", self.instance_type)(**fields))

    def merge(self, views: Sequence[Facts]) -> InstanceT | None:
        """Join views that share no fact, or take the whole; None if they don't fit together."""
        parts = [self.known_to(facts, k) for k, facts in enumerate(views, 1)]
        whole = [part for part, facts in zip(parts, views, strict=True) if facts.get(WHOLE)]
        if any(self._shared(part) != self._shared(parts[0]) for part in parts):
            return None
        fields = {field: [_bare(getattr(part, field)) for part in parts]
                  for field in self.dealt_fields}  # fmt: skip
        if whole:
            union = whole[0]
            known = {field: set(_bare(getattr(union, field))) for field in self.dealt_fields}
            fits = all(known[f].issuperset(part) for f, each in fields.items() for part in each)
        else:
            union = self._with_dealt(
                parts[0],
                {f: tuple(x for p in parts for x in getattr(p, f)) for f in self.dealt_fields},
            )
            fits = len(parts) > 1 and all(
                len({fact for part in each for fact in part}) == sum(map(len, each))
                for each in fields.values()
            )
        return union if fits and self.fault(union) is None else None

    def complete(self, instance: InstanceT, seat: Seat, rng: np.random.Generator) -> InstanceT:
        """Put as many other facts in the places of the hidden ones."""
        dealt: dict[str, Sequence[Fact]] = {f: getattr(instance, f) for f in self.dealt_fields}
        known = {f: tuple(x for x in facts if x[-1] == seat) for f, facts in dealt.items()}
        view = self._with_dealt(instance, known)
        counts = {field: len(facts) - len(known[field]) for field, facts in dealt.items()}
        for _ in range(COMPLETION_DRAWS):
            drawn = self.draw_hidden(view, counts, rng)
            if drawn is None:
                continue
            hidden = {field: iter(facts) for field, facts in drawn.items()}
            placed = {
                field: tuple(
                    fact if fact[-1] == seat else (*next(hidden[field]), fact[-1]) for fact in facts
                )
                for field, facts in dealt.items()
            }
            other = self._with_dealt(instance, placed)
            if self.fault(other) is None:
                return other
        return instance

    def guess(self, facts: Facts, rng: np.random.Generator) -> InstanceT:
        """Draw about as many hidden facts as are known."""
        view = self.known_to(facts, 1)
        for attempt in range(GUESS_DRAWS):
            drawn = self.draw_hidden(
                view, self.likely_counts(view, attempt // DRAWS_PER_COUNT), rng
            )
            if drawn is None:
                continue
            union = self._with_dealt(
                view,
                {
                    field: (*getattr(view, field), *((*fact, 2) for fact in drawn[field]))
                    for field in self.dealt_fields
                },
            )
            if self.fault(union) is None:
                return union
        raise ValueError(f"no instance of {self.name} was found that has these facts: {facts}")

    def likely_counts(self, view: InstanceT, attempt: int) -> dict[str, int]:
        """How many facts may be hidden: as many as are known, then one more, one less, ..."""
        drift = (attempt + 1) // 2 * (1 if attempt % 2 else -1)
        return {f: max(0, len(getattr(view, f)) + drift) for f in self.dealt_fields}

    def _shared(self, instance: InstanceT) -> tuple[object, ...]:
        return tuple(getattr(instance, field) for field in self.shared_fields)

    def _with_dealt(self, instance: InstanceT, dealt: Mapping[str, object]) -> InstanceT:
        shared = {field: getattr(instance, field) for field in self.shared_fields}
        return cast("InstanceT", cast("Any", self.instance_type)(**shared, **dealt))

    # --- texts ---------------------------------------------------------------------------

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The facts in the words of the seat; at friction 2 the second view counts names."""
        shown, frame = self._framed(facts, seat, friction)
        return self.say_view(shown, 1 if friction == 0 else seat) + frame

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The facts in few tokens."""
        shown, frame = self._framed(facts, seat, friction)
        return self.say_briefly(shown) + frame

    def _framed(self, facts: Facts, seat: Seat, friction: Friction) -> tuple[Facts, str]:
        """The facts as the seat writes them, and the key to its names."""
        if not (friction == 2 and seat == 2):
            return facts, ""
        numbers = self.numbers(facts)
        dealt = {field: _renamed(facts[field], numbers) for field in self.dealt_fields}
        key = ", ".join(f"{number}={name}" for name, number in numbers.items())
        frame = f"\nYour facts write the {self.things} as numbers: {key}. Answers use the names."
        return {**facts, **dealt}, frame


def know(facts: Facts) -> str:
    """The words that mark the facts of a view as those of one agent."""
    return "" if facts.get(WHOLE) else " you know"


def if_split(facts: Facts, text: str) -> str:
    """A text about what the partner knows, or nothing where there is no partner."""
    return "" if facts.get(WHOLE) else text


def _bare(facts: Sequence[Fact]) -> list[Fact]:
    """Facts without their owners."""
    return [fact[:-1] for fact in facts]


def _plain(value: object) -> Json:
    """Tuples and mappings as JSON lists and objects."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, str | int):
        return value
    raise TypeError(f"{type(value).__name__} is no part of a fact")


def _frozen(value: Json) -> object:
    """JSON lists as tuples."""
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _renamed(value: Json, numbers: Mapping[str, str]) -> Json:
    """Names replaced by their numbers, wherever they stand."""
    if isinstance(value, str):
        return numbers.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, numbers) for item in value]
    if isinstance(value, dict):
        return {numbers.get(key, key): _renamed(item, numbers) for key, item in value.items()}
    return value
