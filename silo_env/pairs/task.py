"""What a task of the split-view pairs is: instances, two views, a solver and a grader.

A task file holds one ``PairTask`` and nothing else knows its rules: protocol, answer extraction,
union check, environment and baselines work with every task through this interface.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

import numpy as np

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Facts: TypeAlias = dict[str, Json]
"""The facts that one view shows, in the canonical frame whatever the wording of its text."""
Views: TypeAlias = tuple[Facts, Facts]
"""The facts of view 1 and view 2."""
Answer: TypeAlias = dict[str, Json]

Seat = Literal[1, 2]
"""The view of ``agent_0`` (1) or ``agent_1`` (2)."""
SEATS: tuple[Seat, Seat] = (1, 2)

Friction = Literal[0, 1, 2]
"""0: same words, stated frame; 1: the papers' differences of wording; 2: another frame."""
FRICTIONS: tuple[Friction, Friction, Friction] = (0, 1, 2)

EXACT_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Grade:
    """The verdict on an answer.

    Attributes:
        score: 0..1; 1.0 only for an optimal answer.
        literal: Valid moves over optimal moves, at most 1; None for tasks without paths.
        weighted: Share of the optimal distance overcome; None for tasks without paths.
        scheme: Number (0..15) of the scheme that read the coordinates best; None if none was tried.
    """

    score: float
    literal: float | None = None
    weighted: float | None = None
    scheme: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the answer is optimal."""
        return self.score >= 1 - EXACT_TOLERANCE

    @property
    def success(self) -> bool:
        """The same, under the name that the verdicts of all families have."""
        return self.exact


InstanceT = TypeVar("InstanceT")
ConfigT = TypeVar("ConfigT")


class PairTask(ABC, Generic[InstanceT, ConfigT]):
    """The rules and texts of one task; stateless.

    Attributes:
        name: The task's name in kwargs, such as "maze".
        title: Its name in ids, such as "Maze".
        category: "spatial", "relational" or "csp".
        config_type: Frozen dataclass of the generator's parameters; raises ConfigError.
        answer_fields: An answer holds at least one of these keys.
        uses_schemes: Whether answers are read under all sixteen coordinate schemes.
        takes_moves: Whether the answer is a walk that can be agreed on move by move.
        hides_endpoints: Whether each view hides a cell (or link) that every answer has to name;
            then an instance needs both views however many optimal answers it has.
        rule: The task in prose, the same for both agents.
        split: How its facts are dealt to the two agents, in prose.
        compact_rule: The task in few tokens.
        compact_split: The split in few tokens.
        compact_entries: What the form of an answer leaves open, in few tokens.
        masks: Whether the views are drawings that mark hidden cells.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    category: ClassVar[str]
    answer_fields: ClassVar[tuple[str, ...]]
    uses_schemes: ClassVar[bool] = False
    takes_moves: ClassVar[bool] = False
    hides_endpoints: ClassVar[bool] = False
    rule: ClassVar[str]
    split: ClassVar[str]
    compact_rule: ClassVar[str]
    compact_split: ClassVar[str]
    compact_entries: ClassVar[str] = ""
    masks: ClassVar[bool] = False
    config_type: type[ConfigT]

    @abstractmethod
    def draw(self, config: ConfigT, rng: np.random.Generator) -> InstanceT | None:
        """Draw one legal, solvable instance and its split; None if this draw is rejected."""

    @abstractmethod
    def read_instance(self, given: Mapping[str, object]) -> InstanceT:
        """Check an instance given as JSON.

        Raises:
            InstanceError: It is malformed or has no solution.
        """

    @abstractmethod
    def solve(self, instance: InstanceT) -> Answer:
        """The canonical optimal answer."""

    @abstractmethod
    def optimal_answers(self, instance: InstanceT, limit: int) -> list[Answer]:
        """All optimal answers in canonical form, at most ``limit`` of them."""

    @abstractmethod
    def grade(self, instance: InstanceT, answer: object, *, search_schemes: bool = True) -> Grade:
        """Grade anything; what is no answer scores 0.0. Never raises."""

    @abstractmethod
    def facts(self, instance: InstanceT, seat: Seat | None) -> Facts:
        """What a view shows; None: everything, as the solo agent sees it."""

    @abstractmethod
    def merge(self, views: Sequence[Facts]) -> InstanceT | None:
        """The instance that views show together; None if they leave something open."""

    @abstractmethod
    def complete(self, instance: InstanceT, seat: Seat, rng: np.random.Generator) -> InstanceT:
        """A solvable instance with the same view and as many facts, the hidden ones redrawn."""

    @abstractmethod
    def guess(self, facts: Facts, rng: np.random.Generator) -> InstanceT:
        """A plausible instance with these facts, made from nothing but them."""

    @abstractmethod
    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """A view in the wording of a seat; at friction 0 ``read_view`` understands it."""

    @abstractmethod
    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The same facts in few tokens."""

    @abstractmethod
    def read_view(self, text: str) -> Facts | None:
        """Read the facts that a text states in the words of friction 0; None if it states none."""

    @abstractmethod
    def answer_form(self, friction: Friction) -> str:
        """The JSON object that an answer is."""

    @abstractmethod
    def answer_note(self, friction: Friction) -> str:
        """What the entries of an answer mean, in a sentence."""

    def compact_note(self, friction: Friction) -> str:
        """What the entries of an answer mean, in few tokens; empty if the form tells it."""
        convention = "one convention for all cells" if self.uses_schemes and friction else ""
        return "; ".join(part for part in (self.compact_entries, convention) if part)

    @abstractmethod
    def check_steps(self, instance: InstanceT, answer: Answer) -> list[str]:
        """The re-derivation of an answer, one short checked statement per step."""

    @abstractmethod
    def free_text_answer(self, instance: InstanceT, messages: Sequence[str]) -> Answer | None:
        """Read an answer from prose, the last message that holds one; None if there is none.

        The instance tells the names and queries that both agents know, nothing else.
        """

    @abstractmethod
    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A well-formed answer at random, for the random policy."""

    def to_json(self, instance: InstanceT) -> dict[str, Json]:
        """The instance in its JSON schema."""
        encoded = _encode(instance)
        if not isinstance(encoded, dict):
            raise TypeError(f"an instance of {self.name} must be a dataclass")
        return encoded


def _encode(value: object) -> Json:
    """Turn frozen dataclasses and tuples into JSON-able data."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form")
