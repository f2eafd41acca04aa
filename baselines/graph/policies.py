"""The graph policies by name; ``baselines/table.py`` lists them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from coordgym.baselines.graph.brain import GraphBrain, mixed, mixed_edge
from coordgym.baselines.graph.flood import Flood, Liar
from coordgym.contract.base import Info
from coordgym.loading import load
from coordgym.policies.protocol import PerAgent, per_agent
from coordgym.silo_env.graph.table import task_entry
from coordgym.silo_env.graph.task import Alone
from coordgym.silo_env.graph.tasks import TASKS

_DIGITS = 13

Maker = Callable[[Info, np.random.Generator], GraphBrain]


class Constant(GraphBrain):
    """Says nothing and always gives the same answer; enough for consensus without inputs."""

    def hear(self, messages: Mapping[str, str]) -> None:
        """Listen to nothing."""

    def write(self) -> dict[str, str]:
        """Send nothing."""
        return {}

    def decide(self) -> str:
        """Give the task's constant answer."""
        return task_entry(self.task).constant or self.options[0]


class Silent(Constant):
    """Says nothing and answers by the task's own guess, from its neighbours' names alone."""

    def decide(self) -> str:
        """Guess by an order of names that all agents know."""
        place = _part(mixed(self.name))
        alone = Alone(
            options=self.options,
            n_agents=self.n_agents,
            place=place,
            before=sum(_part(mixed(other)) < place for other in self.neighbours),
            links=[_part(mixed_edge(self.name, other)) for other in self.neighbours],
            neighbours=self.neighbours,
            common=0.5,
            luck=float(self.rng.random()),
        )
        return TASKS[self.task].guess(alone)


def _part(code: str) -> float:
    """Return the number in [0, 1) that a hash of hexadecimal digits stands for."""
    digits = code[:_DIGITS]  # more would round up to 1
    return int(digits, 16) / float(16 ** len(digits))


@dataclass(frozen=True, slots=True)
class BrainMaker:
    """Makes the brains of a policy; it can be pickled, as what policies hold must.

    Attributes:
        kind: The kind of brain for all tasks, or the name under which a task's line has it.
    """

    kind: Maker | str

    def __call__(self, agent: str, info: Info, rng: np.random.Generator) -> GraphBrain:
        """Make one agent's brain."""
        kind = self.kind
        if isinstance(kind, str):
            kind = load(getattr(task_entry(info["view"]["task"]), kind))
        brain: GraphBrain = kind(info, rng)
        return brain


def _policy(name: str, kind: Maker | str) -> PerAgent:
    return per_agent(BrainMaker(kind), name, family="graph")


def flood() -> PerAgent:
    """Flood everything, then solve the whole network alike; the strongest."""
    return _policy("graph:flood", Flood)


def small() -> PerAgent:
    """Run classic distributed algorithms with messages under 40 characters."""
    return _policy("graph:small", "small")


def greedy() -> PerAgent:
    """Decide in alphabetical order, for contrast."""
    return _policy("graph:greedy", "greedy")


def constant() -> PerAgent:
    """Say nothing, always answer the same."""
    return _policy("graph:constant", Constant)


def silent() -> PerAgent:
    """Say nothing, guess from the neighbours' names: what words must beat."""
    return _policy("graph:silent", Silent)


def liar() -> PerAgent:
    """Contradict oneself and invent neighbours; for byzantine agents."""
    return _policy("graph:liar", Liar)
