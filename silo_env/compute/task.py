"""What a computation task is: how its data are made, split, solved, graded and told.

A task is one class in one file of ``tasks/``; it knows no rounds, messages or environments.
Global tasks have one answer that every agent must give; in segmented tasks ``solve`` returns the
list of the agents' pieces, and each agent must give its own.
Source: Silo-Bench (arXiv 2603.01045), sections 3.1, 3.2 and appendix B.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from coordgym.data.plain import plain_number
from coordgym.errors import ConfigError, InstanceError, UnknownKwargError, suggest
from coordgym.silo_env.compute.answers.grading import Grade, Partial, grade_answer
from coordgym.silo_env.compute.answers.types import AnswerType

Extra = Mapping[str, Any]
"""Parameters of an instance that every agent knows; JSON-able, keys as in the docs of the task."""

MAX_AGENTS = 1000
"""Largest number of agents that an instance may be split over."""

Shard = TypeVar("Shard")
Answer = TypeVar("Answer")
Item = TypeVar("Item")
Config = TypeVar("Config")


@dataclass(frozen=True, slots=True)
class Instance(Generic[Shard, Answer]):
    """One problem, split over its agents.

    Attributes:
        shards: What each agent holds, in the order of the agents.
        extra: Parameters that every agent is told.
        answer: The reference answer; for segmented tasks the list of pieces by agent.
    """

    shards: list[Shard]
    extra: dict[str, Any]
    answer: Answer | list[Answer]

    def as_dict(self) -> dict[str, Any]:
        """Return the instance as JSON-able data."""
        return {"shards": self.shards, "extra": self.extra, "answer": self.answer}


class Task(ABC, Generic[Shard, Answer]):
    """Base of all tasks; a subclass sets the class attributes and writes the abstract methods.

    Attributes:
        id: The paper's name, such as ``"I-01"``.
        slug: Short name in words, such as ``"global-max"``.
        title: Name for people.
        segmented: Whether each agent answers with its own piece.
        answer_type: The JSON type of one agent's answer, which is all that a submission must have.
        tolerance: Absolute tolerance on floats of the answer.
        partial: The rule of partial credit.
        copyable: Whether giving an item to two agents leaves the answer as it is.
        config: Frozen dataclass of the generator's parameters; their names and defaults.
        question: What ``statement`` says, with parameters of the instance in braces; a task whose
            texts need more than them writes the methods instead.
        form: What ``answer_form`` says, such as ``"one integer, for example 17"``.
        question_in_brief: What ``brief`` says.
        holds: What one agent holds by default, with fields of ``config`` in braces; for the docs.
        above_prior: Why answers from own data do better than a constant one, where they do; for
            the docs.
        hint: The structural hint of the guided prompt; names no topology and no role.
    """

    id: ClassVar[str]
    slug: ClassVar[str]
    title: ClassVar[str]
    segmented: ClassVar[bool] = False
    answer_type: ClassVar[AnswerType]
    tolerance: ClassVar[float] = 0.0
    partial: ClassVar[Partial] = Partial.NONE
    copyable: ClassVar[bool] = False
    config: ClassVar[type]
    hint: ClassVar[str]
    question: ClassVar[str]
    form: ClassVar[str]
    question_in_brief: ClassVar[str]
    holds: ClassVar[str]
    above_prior: ClassVar[str] = ""

    # --- data ------------------------------------------------------------------------------

    @abstractmethod
    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[Shard, Answer]:
        """Draw an instance for ``n_agents`` ≥ 2; ``params`` are fields of ``config``.

        Raises:
            UnknownKwargError: If a parameter does not exist.
            ConfigError: If a parameter has a value that is not allowed.
        """

    @abstractmethod
    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check the form of a given instance and that its answer is defined.

        Raises:
            InstanceError: Naming what is wrong.
        """

    @abstractmethod
    def solve(self, shards: Sequence[Shard], extra: Extra) -> Answer | list[Answer]:
        """Return the reference solution, from the shards and the common parameters alone."""

    def private_part(self, shard: Shard) -> Any:
        """Return what of a shard nobody else holds; everything, unless a task says so."""
        return shard

    def whole_shard(self, part: Any, own: Shard) -> Shard:
        """Rebuild another agent's shard from its private part and one's own shard."""
        del own
        shard: Shard = part
        return shard

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the parameters that the published files tell only in a task's description.

        Raises:
            InstanceError: If the description does not tell them.
        """
        del description, n_agents
        return {}

    def published_segments(self) -> dict[str, Any]:
        """Return more parameters for published files that expect a piece of each agent."""
        return {}

    # --- judging ---------------------------------------------------------------------------

    def is_segmented(self, extra: Extra) -> bool:
        """Tell whether the agents answer in pieces; the same for all instances, in most tasks."""
        del extra
        return self.segmented

    def read_answer(self, answer: object, extra: Extra) -> Any:
        """Return what a submission states, a value of the task's type or null.

        Raises:
            AnswerError: If it is neither, in words for the agent.
        """
        del extra
        return self.answer_type.read(answer)

    def grade(self, answer: object, expected: Answer) -> Grade:
        """Grade one agent's answer; never raises, whatever the answer is."""
        return grade_answer(answer, expected, self.tolerance, self.partial)

    def sufficient(
        self, agent: int, shards: Sequence[Shard], extra: Extra
    ) -> tuple[frozenset[int], ...]:
        """Return sets of shards (by agent) each of which suffices for this agent's answer."""
        del agent, extra
        return (frozenset(range(len(shards))),)

    def minimum_messages(self, n_agents: int) -> int:
        """Return the fewest one-way messages that solve the task between two or more agents.

        Telling everybody what everybody holds takes 2N - 2 of them.
        """
        return 2 * (n_agents - 1)

    # --- texts -----------------------------------------------------------------------------

    def statement(self, extra: Extra) -> str:
        """Return what is asked, exactly, with ties and decimals, in full sentences."""
        return self.question.format_map(extra)

    def answer_form(self, extra: Extra) -> str:
        """Return how the answer is written."""
        return self.form.format_map(extra)

    def brief(self, extra: Extra) -> str:
        """Return the statement and the form of the answer in as few words as are exact."""
        return self.question_in_brief.format_map(extra)

    # --- helpers for subclasses ------------------------------------------------------------

    def instance(self, shards: list[Shard], extra: dict[str, Any]) -> Instance[Shard, Answer]:
        """Return the instance with the answer that ``solve`` finds."""
        return Instance(shards, extra, self.solve(shards, extra))

    def adopt(self, shards: Sequence[Any], extra: Extra) -> Instance[Shard, Answer]:
        """Return the instance of given data, checked first.

        Raises:
            InstanceError: If the data have the wrong form or no answer is defined for them.
        """
        self.check(shards, extra)
        return self.instance(list(shards), dict(extra))

    def require_copyable(self, overlap: int) -> None:
        """Check that ``overlap`` copied items per agent leave the answer as it is.

        Raises:
            ConfigError: If they would not.
        """
        if overlap > 0 and not self.copyable:
            raise ConfigError(
                f"overlap must be 0 for {self.id} ({self.slug}): copied items would change "
                f"its answer; got {overlap}"
            )

    def overlapping(self, instance: Instance[Shard, Answer], overlap: int) -> Instance[Any, Answer]:
        """Copy the last ``overlap`` items of each agent to the front of the next one's.

        Raises:
            ConfigError: If copies would change what the right answer is.
        """
        self.require_copyable(overlap)
        if overlap == 0:
            return instance
        shards: list[Any] = list(instance.shards)
        copied = [shards[0], *(self.with_copies(b, a, overlap) for a, b in pairwise(shards))]
        return self.instance(copied, instance.extra)

    def with_copies(self, shard: Any, before: Any, overlap: int) -> Any:
        """Put copies of the last ``overlap`` ≥ 1 items of the shard before in front of a shard."""
        return before[-overlap:] + shard


def configure(config: type[Config], params: Mapping[str, Any]) -> Config:
    """Build a task's configuration from keyword arguments.

    Raises:
        UnknownKwargError: If a name is no field of it, with the nearest one.
        ConfigError: From the configuration itself, if a value is not allowed.
    """
    names = [field.name for field in fields(config)]  # type: ignore[arg-type]
    for name in params:
        if name not in names:
            raise UnknownKwargError(
                f"the task has no parameter {name!r:.100}{suggest(str(name)[:100], names)} "
                f"(it has {', '.join(names)})"
            )
    return config(**{name: plain_number(value) for name, value in params.items()})


def cut(items: Sequence[Item], n_agents: int) -> list[list[Item]]:
    """Cut a sequence into ``n_agents`` runs of equal length; the last one takes the rest."""
    size = len(items) // n_agents
    starts = [size * agent for agent in range(n_agents)] + [len(items)]
    return [list(items[a:b]) for a, b in pairwise(starts)]


def deal(rng: np.random.Generator, items: Sequence[Item], n_agents: int) -> list[list[Item]]:
    """Shuffle a sequence and cut it into ``n_agents`` runs."""
    return cut([items[i] for i in rng.permutation(len(items)).tolist()], n_agents)


def cut_like(items: Sequence[Item], shards: Sequence[Sequence[Any]]) -> list[list[Item]]:
    """Cut a sequence into runs as long as the shards, one after the other."""
    ends = list(accumulate(map(len, shards), initial=0))
    return [list(items[a:b]) for a, b in pairwise(ends)]


def show(value: object) -> str:
    """Write a value as agents see it: JSON on one line, as they can copy it into an answer."""
    return json.dumps(value, ensure_ascii=False)


# --- checks of given instances ---------------------------------------------------------------


def require_integers(shards: Sequence[Any]) -> None:
    """Check that every shard is a list of integers.

    Raises:
        InstanceError: Naming the first that is not.
    """
    for agent, shard in enumerate(shards):
        if not isinstance(shard, list) or any(
            isinstance(item, bool) or not isinstance(item, int) for item in shard
        ):
            raise InstanceError(f"shards[{agent}] must be a list of integers, got {shard!r:.80}")


def require_texts(shards: Sequence[Any]) -> None:
    """Check that every shard is a list of texts.

    Raises:
        InstanceError: Naming the first that is not.
    """
    for agent, shard in enumerate(shards):
        if not isinstance(shard, list) or any(not isinstance(item, str) for item in shard):
            raise InstanceError(f"shards[{agent}] must be a list of texts, got {shard!r:.80}")


def require_strings(shards: Sequence[Any]) -> None:
    """Check that every shard is one text.

    Raises:
        InstanceError: Naming the first that is not.
    """
    for agent, shard in enumerate(shards):
        if not isinstance(shard, str):
            raise InstanceError(f"shards[{agent}] must be a text, got {shard!r:.80}")


def require_parameter(extra: Extra, name: str, low: int, high: int, why: str = "") -> int:
    """Return an integer parameter of an instance; ``why`` tells what ``high`` stands for.

    Raises:
        InstanceError: If it is missing, no integer, or not in ``low`` … ``high``.
    """
    value = extra.get(name)
    if type(value) is not int or not low <= value <= high:
        raise InstanceError(
            f"extra[{name!r}] must be {low}..{high}{why and f' ({why})'}, got {value!r:.80}"
        )
    return value


def require_items(shards: Sequence[Any]) -> None:
    """Check that the shards hold at least one item together.

    Raises:
        InstanceError: If all are empty, since no answer is defined then.
    """
    if not any(shards):
        raise InstanceError("all shards are empty: the task has no answer then")
