"""What a graph task is: its rules in words, its answers, its verdict, a reference solution."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

Neighbourhoods = Mapping[str, Sequence[str]]
"""Names of the neighbours by name."""


class Score(NamedTuple):
    """Verdict on the answers of a whole network.

    Attributes:
        success: Every agent gave a valid answer and the network satisfies the task.
        score: Graded, 0..1, as AgentsNet publishes it.
        coverage: Share (0..1) of what must be satisfied that is; each task says of what.
        redundancy: Share (0..1) of those who take a role although nobody needs them to.
        conflicts: Number of violations; each task says of what.
    """

    success: bool
    score: float
    coverage: float
    redundancy: float
    conflicts: int


@dataclass(frozen=True)
class Answers:
    """The final answers of a network and what they are judged by.

    Byzantine agents are left out: only honest agents and edges between them count, and an
    honest agent whose answer can only be judged by a byzantine neighbour has the benefit of
    the doubt. So the verdict doesn't depend on what byzantine agents answer.

    Attributes:
        neighbours: Neighbours' names by name, for all agents.
        given: Answer by name; None or missing = no answer.
        byzantine: Names of the agents that are left out.
        inputs: Private input by name, or None where there are none.
        input_rule: What the inputs say of a right answer; None = the task's oldest rule.
    """

    neighbours: Neighbourhoods
    given: Mapping[str, str | None]
    byzantine: Collection[str] = ()
    inputs: Mapping[str, str] | None = None
    input_rule: str | None = None
    honest: tuple[str, ...] = field(init=False)
    edges: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self) -> None:
        honest = tuple(name for name in self.neighbours if name not in self.byzantine)
        place = {name: i for i, name in enumerate(honest)}
        edges = tuple(
            (name, other)
            for name in honest
            for other in self.neighbours[name]
            if place.get(other, -1) > place[name]
        )
        object.__setattr__(self, "honest", honest)
        object.__setattr__(self, "edges", edges)

    @property
    def max_degree(self) -> int:
        """The largest number of neighbours Δ."""
        return largest_degree(self.neighbours)

    def of_honest(self) -> dict[str, str | None]:
        """Return the honest agents' answers; whatever is not a string is no answer."""
        answers = {}
        for name in self.honest:
            answer = self.given.get(name)
            answers[name] = answer if isinstance(answer, str) else None
        return answers


@dataclass(frozen=True, slots=True)
class Alone:
    """What an agent knows that neither talks nor is talked to, and the luck of one draw.

    Names are known at both ends of a link. So without a word agents may go by an order of all
    names and by a number for each link: here drawn at random, in a policy by hashes.

    Attributes:
        options: The agent's valid answers.
        n_agents: Size of the network.
        place: The agent's place in the order of names, in [0, 1).
        before: How many neighbours come before it.
        links: For each neighbour, in the order of names, the number of the link, in [0, 1).
        neighbours: The neighbours' names in the same order.
        common: A number in [0, 1) that is the same for all agents: which rule they go by.
        luck: A number in [0, 1) of its own.
    """

    options: Sequence[str]
    n_agents: int
    place: float
    before: int
    links: Sequence[float]
    neighbours: Sequence[str]
    common: float
    luck: float


class Measures(NamedTuple):
    """What the figures of ``Score`` are in one task, in words for the documentation."""

    score: str
    coverage: str
    redundancy: str
    conflicts: str


class GraphTask(ABC):
    """One coordination task on a network. Stateless; everything is a pure function.

    Where a method is given Δ, it is the largest number of neighbours in the network.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    local: ClassVar[bool]
    """Whether looking at near agents is enough (it sets the number of rounds)."""
    question: ClassVar[str]
    """What is asked of the network, in a few words."""
    solved_if: ClassVar[str]
    """When an episode is a success, in a few words."""
    measures: ClassVar[Measures]
    input_values: ClassVar[tuple[str, ...]] = ()
    """What the option ``inputs`` draws each agent's private input from; none = no inputs."""
    input_rules: ClassVar[tuple[str, ...]] = ()
    """What inputs may say of a right answer, by the names that the option ``inputs`` takes.

    The first is what ``inputs=True`` means.
    """
    oldest_input_rule: ClassVar[str | None] = None
    """The rule of instances that name none, from before there were several."""

    @abstractmethod
    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return the valid answers of an agent with these neighbours."""

    def groups(self, max_degree: int) -> tuple[str, ...] | None:
        """Return the numbered groups that are the options of all; None in other tasks.

        Agents are told how many there are; a long list of them is abridged in texts.
        """
        return None

    @abstractmethod
    def describe(self, max_degree: int) -> str:
        """Explain the task and the meaning of the answers, in prose."""

    @abstractmethod
    def summarize(self, max_degree: int) -> str:
        """Explain the same in the fewest words."""

    def draw_inputs(
        self, count: int, rule: str | None, byzantine: int, rng: np.random.Generator
    ) -> tuple[str, ...]:
        """Draw the private inputs of all agents: by default each by itself, all alike probable.

        Args:
            count: Number of agents.
            rule: One of ``input_rules``, or None where there are none.
            byzantine: How many agents are byzantine.
            rng: Source of all randomness.
        """
        drawn = rng.integers(len(self.input_values), size=count)
        return tuple(self.input_values[i] for i in drawn)

    def describe_input(self, own: str, rule: str | None) -> str:
        """Tell an agent its private input and what it is for, in prose."""
        return f"Your private input is {own}."

    def summarize_input(self, own: str, rule: str | None) -> str:
        """Tell the same in the fewest words."""
        return f"input {own}"

    @abstractmethod
    def judge(self, answers: Answers) -> Score:
        """Judge the network's answers."""

    def grade(self, answers: Answers) -> float:
        """Return how much of the task is solved, in [0, 1], and 1 only if all of it is.

        Rewards go by it: by default the score. A task whose published score rises by doing
        nothing useful says here what is worth something.
        """
        return self.judge(answers).score

    def seats_right(self, answers: Answers) -> dict[str, bool] | None:
        """Tell by name whether an honest agent's own part is right; all are if it is a success.

        By default None: one can't tell the parts apart.
        """
        return None

    def guess(self, alone: Alone) -> str:
        """Answer without a word from anybody, as well as is known; floors are measured by it.

        By default any of the options.
        """
        return alone.options[int(alone.luck * len(alone.options))]

    @abstractmethod
    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether the valid answers of two neighbours contradict each other."""

    @abstractmethod
    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Return one valid solution, by name, found greedily in the order of ``neighbours``.

        Args:
            neighbours: The network, or the part of it that is known.
            inputs: Private inputs as far as they are known, in the same order; None = none.
        """


def largest_degree(neighbours: Neighbourhoods) -> int:
    """Return the largest number of neighbours Δ; 0 if there is nobody."""
    return max(map(len, neighbours.values()), default=0)


def share(part: int, whole: int) -> float:
    """Return ``part / whole``; a share of nothing is 1."""
    return part / whole if whole else 1.0
