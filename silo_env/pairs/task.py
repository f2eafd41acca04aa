"""What a task of the split-view pairs is: instances, two views, a solver and a grader.

A task file holds one ``PairTask``: it says how instances are drawn, dealt to the views, put into
words, solved and scored. Protocol, answer extraction, union check, environment and baselines work
with every task through the methods that this class makes of that.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast

import numpy as np

from coordgym.data.strict import build
from coordgym.errors import InstanceError, require_choice
from coordgym.loading import load
from coordgym.silo_env.pairs.table import TASK_CLASSES, TASKS

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Facts: TypeAlias = dict[str, Json]
"""A view in JSON: its facts in the canonical frame, whatever the wording of its text."""
Views: TypeAlias = tuple[Facts, Facts]
"""View 1 and view 2 in JSON."""
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
ViewT = TypeVar("ViewT")


class PairTask(ABC, Generic[InstanceT, ConfigT, ViewT]):
    """The rules and texts of one task; stateless.

    Its class has the title of its row in the table; what it is called there is said only there.

    Attributes:
        config_type: Frozen dataclass of the generator's parameters; raises ConfigError.
        instance_type: Frozen dataclass of an instance; its fields are its JSON schema.
        view_type: Frozen dataclass of what a view shows; its fields are the facts in JSON. A field
            that has its default is left out there.
        answer_fields: An answer holds at least one of these keys.
        uses_schemes: Whether answers are read under all sixteen coordinate schemes.
        counts: Whether numbers of an answer count or measure something, so that a unit may stand
            with them.
        takes_moves: Whether the answer is a walk that can be agreed on move by move.
        hides_endpoints: Whether each view hides a cell (or link) that every answer has to name;
            then an instance needs both views however many optimal answers it has.
        rule: The task in prose, the same for both agents.
        split: How its facts are dealt to the two agents, in prose.
        form: The JSON object that an answer is.
        note: What the entries of an answer mean, in a sentence.
        compact_rule: The task in few tokens.
        compact_split: The split in few tokens.
        compact_entries: What the form of an answer leaves open, in few tokens.
        masks: Whether the views are drawings that mark hidden cells.
        nothing: The grade of what is no answer.
        reader: What makes an ``AtomReader`` of the task, both views in JSON and the friction, as
            "module:name": it is loaded where recorded dialogues are read.
    """

    config_type: type[ConfigT]
    instance_type: type[InstanceT]
    view_type: type[ViewT]
    answer_fields: ClassVar[tuple[str, ...]]
    uses_schemes: ClassVar[bool] = False
    counts: ClassVar[bool] = False
    takes_moves: ClassVar[bool] = False
    hides_endpoints: ClassVar[bool] = False
    rule: ClassVar[str]
    split: ClassVar[str]
    form: ClassVar[str]
    note: ClassVar[str]
    compact_rule: ClassVar[str]
    compact_split: ClassVar[str]
    compact_entries: ClassVar[str] = ""
    masks: ClassVar[bool] = False
    nothing: ClassVar[Grade] = Grade(0.0)
    reader: ClassVar[str] = "coordgym.silo_env.pairs.dialogue.readers.generic:GenericReader"

    @property
    def title(self) -> str:
        """The task's name in ids, such as "Maze"."""
        return type(self).__name__

    @property
    def name(self) -> str:
        """The task's name in kwargs, such as "maze"."""
        return self.title.lower()

    @property
    def category(self) -> str:
        """The kind of task, "spatial", "relational" or "csp"."""
        return next(entry.category for entry in TASKS if entry.name == self.name)

    # --- what a task says: its instances and answers ---------------------------------------

    @abstractmethod
    def draw(self, config: ConfigT, rng: np.random.Generator) -> InstanceT | None:
        """Draw one legal, solvable instance and its split; None if this draw is rejected."""

    @abstractmethod
    def fault(self, instance: InstanceT) -> str | None:
        """Say what makes an instance illegal or unsolvable; None if nothing does.

        The types of its fields are right, nothing else is known of it.
        """

    def bounds_fault(self, instance: InstanceT) -> str | None:
        """Say what an instance from outside has that is too long or no name; None if nothing.

        It is asked before ``fault``, but not of instances that the task has made itself.
        """
        return None

    def solve(self, instance: InstanceT) -> Answer:
        """Return the canonical optimal answer; a task with only one says it here."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: InstanceT, limit: int) -> list[Answer]:
        """Return optimal answers in canonical form; a task with several says them here.

        Args:
            instance: The instance.
            limit: At most as many, 1 or more.
        """
        return [self.solve(instance)]

    @abstractmethod
    def score(self, instance: InstanceT, answer: Mapping[str, object]) -> Grade:
        """Grade an object, whatever its fields hold; never raise."""

    @abstractmethod
    def check_steps(self, instance: InstanceT, answer: Answer) -> list[str]:
        """Derive an answer anew, one short checked statement per step."""

    @abstractmethod
    def free_text_answer(self, instance: InstanceT, messages: Sequence[str]) -> Answer | None:
        """Read an answer from prose, the last message that holds one; None if there is none.

        The instance tells the names and queries that both agents know, nothing else.
        """

    @abstractmethod
    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a well-formed answer, for the random policy."""

    # --- what a task says: its views and their words -----------------------------------------

    @abstractmethod
    def view(self, instance: InstanceT, seat: Seat | None) -> ViewT:
        """Return what a seat is shown; None: everything, as the solo agent sees it."""

    @abstractmethod
    def join(self, views: Sequence[ViewT]) -> InstanceT | None:
        """Put views together; None if they leave something open or contradict each other.

        Whether the instance is legal, ``fault`` is asked afterwards.
        """

    @abstractmethod
    def redraw(
        self, view: ViewT, rng: np.random.Generator, like: InstanceT | None = None
    ) -> InstanceT | None:
        """Draw a legal instance that shows this view, from nothing but the view.

        Args:
            view: What is known.
            rng: Source of the draws.
            like: An instance that has the view: hide as many facts, and split them in the same
                way. None: hide as many as is usual.

        Returns:
            None if many draws came to nothing.
        """

    @abstractmethod
    def say(self, view: ViewT, seat: Seat, friction: Friction) -> str:
        """Put a view into the words of a seat; at friction 0 ``hear`` understands them."""

    @abstractmethod
    def say_compact(self, view: ViewT, seat: Seat, friction: Friction) -> str:
        """Say the same in few tokens."""

    @abstractmethod
    def hear(self, text: str) -> ViewT | None:
        """Read the view that a text states in the words of friction 0; None if it states none."""

    # --- what the others ask for: instances in JSON, grades ----------------------------------

    def read_instance(self, given: Mapping[str, object]) -> InstanceT:
        """Check an instance given as JSON.

        Raises:
            InstanceError: It is malformed or has no solution.
        """
        instance = build(self.instance_type, given, "the instance", InstanceError)
        fault = self.bounds_fault(instance) or self.fault(instance)
        if fault is not None:
            raise InstanceError(fault)
        return instance

    def to_json(self, instance: InstanceT) -> dict[str, Json]:
        """Return the instance in its JSON schema."""
        return to_object(instance)

    def grade(self, instance: InstanceT, answer: object, *, search_schemes: bool = True) -> Grade:
        """Grade anything; what is no answer scores 0.0. Never raises.

        Args:
            instance: The instance.
            answer: The answer.
            search_schemes: Whether cells are read under all schemes, where a task has them.
        """
        return self.score(instance, answer) if isinstance(answer, Mapping) else self.nothing

    # --- what the others ask for: views in JSON ----------------------------------------------

    def facts(self, instance: InstanceT, seat: Seat | None) -> Facts:
        """Return a view in JSON; None: everything, as the solo agent sees it."""
        return self.to_facts(self.view(instance, seat))

    def merge(self, views: Sequence[Facts]) -> InstanceT | None:
        """Return the instance that views show together; None if they leave something open."""
        try:
            instance = self.join([self.from_facts(facts) for facts in views])
        except InstanceError:
            return None
        return None if instance is None or self.fault(instance) is not None else instance

    def complete(self, instance: InstanceT, seat: Seat, rng: np.random.Generator) -> InstanceT:
        """Redraw what a view hides, as many facts; the same instance if no other is found."""
        other = self.redraw(self.view(instance, seat), rng, like=instance)
        return instance if other is None else other

    def guess(self, facts: Facts, rng: np.random.Generator) -> InstanceT:
        """Return a plausible instance with these facts, made from nothing but them.

        Raises:
            ValueError: None was found.
        """
        instance = self.redraw(self.from_facts(facts), rng)
        if instance is None:
            raise ValueError(f"no instance of {self.name} was found that has these facts: {facts}")
        return instance

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Return a view in the wording of a seat."""
        return self.say(self.from_facts(facts), seat, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Return the same facts in few tokens."""
        return self.say_compact(self.from_facts(facts), seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read the facts that a text states in the words of friction 0; None if it states none."""
        view = self.hear(text)
        return None if view is None else self.to_facts(view)

    def seat_of(self, instance: InstanceT, view: ViewT) -> Seat:
        """Return which seat of an instance has this view."""
        return next(seat for seat in SEATS if self.view(instance, seat) == view)

    def to_facts(self, view: ViewT) -> Facts:
        """Return a view in JSON."""
        return to_object(view)

    def from_facts(self, facts: Facts) -> ViewT:
        """Read a view from JSON.

        Raises:
            InstanceError: It is none.
        """
        return build(self.view_type, facts, f"a view of {self.name}", InstanceError)

    # --- what the others ask for: the form of an answer --------------------------------------

    def answer_form(self, friction: Friction) -> str:
        """Return the JSON object that an answer is."""
        return self.form

    def answer_note(self, friction: Friction) -> str:
        """Return what the entries of an answer mean, in a sentence."""
        return self.note

    def compact_note(self, friction: Friction) -> str:
        """Return what the entries of an answer mean, in few tokens; empty if the form tells it."""
        convention = "one convention for all cells" if self.uses_schemes and friction else ""
        return "; ".join(part for part in (self.compact_entries, convention) if part)


AnyTask: TypeAlias = PairTask[Any, Any, Any]


@cache
def find_task(name: str) -> AnyTask:
    """Return the task of this name.

    Raises:
        ConfigError: There is none, with the nearest name.
    """
    require_choice("task", name, tuple(TASK_CLASSES))
    return cast("AnyTask", load(TASK_CLASSES[name])())


def to_object(data: object) -> dict[str, Json]:
    """Return a dataclass in JSON, without the fields that have their default."""
    if not is_dataclass(data) or isinstance(data, type):
        raise TypeError(f"{type(data).__name__} is no dataclass")
    return {
        field.name: to_json(value)
        for field in fields(data)
        if (value := getattr(data, field.name)) != field.default or field.default is MISSING
    }


def to_json(value: object) -> Json:
    """Return frozen dataclasses, mappings and tuples in JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_object(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form")
