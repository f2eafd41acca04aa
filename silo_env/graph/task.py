"""What a graph task is: its rules in words, its answers, its verdict, a reference solution."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

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
        n_groups: Number of groups, Δ + 1.
        byzantine: Names of the agents that are left out.
        inputs: Private bit ("0" or "1") by name, or None in tasks without inputs.
    """

    neighbours: Neighbourhoods
    given: Mapping[str, str | None]
    n_groups: int
    byzantine: Collection[str] = ()
    inputs: Mapping[str, str] | None = None
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

    def of_honest(self) -> dict[str, str | None]:
        """Return the honest agents' answers; whatever is not a string is no answer."""
        answers = {}
        for name in self.honest:
            answer = self.given.get(name)
            answers[name] = answer if isinstance(answer, str) else None
        return answers


class GraphTask(ABC):
    """One coordination task on a network. Stateless; everything is a pure function."""

    name: ClassVar[str]
    title: ClassVar[str]
    local: ClassVar[bool]
    """Whether looking at near agents is enough (it sets the number of rounds)."""

    @abstractmethod
    def options(self, neighbours: Sequence[str], n_groups: int) -> tuple[str, ...]:
        """Return the valid answers of an agent with these neighbours."""

    @abstractmethod
    def describe(self, n_groups: int) -> str:
        """Explain the task and the meaning of the answers, in prose."""

    @abstractmethod
    def summarize(self, n_groups: int) -> str:
        """Explain the same in the fewest words."""

    @abstractmethod
    def judge(self, answers: Answers) -> Score:
        """Judge the network's answers."""

    @abstractmethod
    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether the valid answers of two neighbours contradict each other."""

    @abstractmethod
    def solve(
        self, neighbours: Neighbourhoods, n_groups: int, inputs: Mapping[str, str] | None
    ) -> dict[str, str]:
        """Return one valid solution, by name, found greedily in the order of ``neighbours``."""

    def all_valid(self, answers: Answers) -> bool:
        """Tell whether every honest agent gave one of its own options."""
        return all(
            answer in self.options(answers.neighbours[name], answers.n_groups)
            for name, answer in answers.of_honest().items()
        )


def share(part: int, whole: int) -> float:
    """Return ``part / whole``; a share of nothing is 1."""
    return part / whole if whole else 1.0
