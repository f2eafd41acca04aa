"""The graph policies by name; ``baselines/table.py`` lists them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from coordgym.baselines.graph.brain import GraphBrain
from coordgym.baselines.graph.flood import Flood, Liar
from coordgym.baselines.graph.small import (
    ColorTrials,
    FirstFit,
    Handshake,
    IndependentSet,
    LocalSmallest,
    SmallestName,
    by_name,
    edge_by_name,
)
from coordgym.contract.base import Info
from coordgym.policies.protocol import PerAgent, per_agent

Maker = Callable[[Info, np.random.Generator], GraphBrain]

SMALL: Mapping[str, Maker] = {
    "coloring": ColorTrials,
    "leader_election": SmallestName,
    "consensus": SmallestName,
    "matching": Handshake,
    "vertex_cover": IndependentSet,
}
GREEDY: Mapping[str, Maker] = {
    "coloring": FirstFit,
    "leader_election": LocalSmallest,
    "consensus": LocalSmallest,
    "matching": partial(Handshake, order=edge_by_name),
    "vertex_cover": partial(IndependentSet, order=by_name),
}
CONSTANT_ANSWERS: Mapping[str, str] = {
    "coloring": "Group 1",
    "leader_election": "No",
    "consensus": "0",
    "matching": "None",
    "vertex_cover": "Yes",
}


class Constant(GraphBrain):
    """Says nothing and always gives the same answer; enough for consensus without inputs."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.answer = CONSTANT_ANSWERS[info["view"]["task"]]

    def hear(self, messages: Mapping[str, str]) -> None:
        """Listen to nothing."""

    def write(self) -> dict[str, str]:
        """Send nothing."""
        return {}

    def decide(self) -> str:
        """Give the task's constant answer."""
        return self.answer


@dataclass(frozen=True, slots=True)
class BrainMaker:
    """Makes the brains of a policy; it can be pickled, as what policies hold must.

    Attributes:
        makers: The kind of brain for each task, or one for all.
    """

    makers: Mapping[str, Maker] | Maker

    def __call__(self, agent: str, info: Info, rng: np.random.Generator) -> GraphBrain:
        """Make one agent's brain."""
        makers = self.makers
        maker = makers[info["view"]["task"]] if isinstance(makers, Mapping) else makers
        return maker(info, rng)


def _policy(name: str, makers: Mapping[str, Maker] | Maker) -> PerAgent:
    return per_agent(BrainMaker(makers), name, family="graph")


def flood() -> PerAgent:
    """Flood everything, then solve the whole network alike; the strongest."""
    return _policy("graph:flood", Flood)


def small() -> PerAgent:
    """Classic distributed algorithms with messages under 40 characters."""
    return _policy("graph:small", SMALL)


def greedy() -> PerAgent:
    """Decide in alphabetical order, for contrast."""
    return _policy("graph:greedy", GREEDY)


def constant() -> PerAgent:
    """Say nothing, always answer the same."""
    return _policy("graph:constant", Constant)


def liar() -> PerAgent:
    """Contradict oneself and invent neighbours; for byzantine agents."""
    return _policy("graph:liar", Liar)
