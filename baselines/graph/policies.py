"""The graph policies by name; ``baselines/table.py`` lists them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from coordgym.baselines.graph.brain import GraphBrain
from coordgym.baselines.graph.flood import Flood, Liar
from coordgym.contract.base import Info
from coordgym.loading import load
from coordgym.policies.protocol import PerAgent, per_agent
from coordgym.silo_env.graph.table import task_entry

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


def liar() -> PerAgent:
    """Contradict oneself and invent neighbours; for byzantine agents."""
    return _policy("graph:liar", Liar)
