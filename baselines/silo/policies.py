"""Rule-based policies for the computation tasks: every agent acts on its own view alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.baselines.silo.all_gather import AllGather, Local
from coordgym.baselines.silo.brain import Brain, Careful
from coordgym.baselines.silo.optimal import best_brain
from coordgym.contract.base import Info
from coordgym.policies.protocol import PerAgent

__all__ = ["SiloPolicy", "all_gather", "local", "optimal"]

Maker = Callable[[str, Info, np.random.Generator], Brain]


@dataclass(frozen=True, slots=True)
class CarefulMaker:
    """Makes brains that don't trust what they are told."""

    maker: Maker

    def __call__(self, agent: str, info: Info, rng: np.random.Generator) -> Careful:
        """Make one agent's brain."""
        return Careful(self.maker(agent, info, rng))


class SiloPolicy(PerAgent):
    """A brain for each agent.

    They trust what they are told if they play all agents and nothing is lost or corrupted on
    its way.

    Args:
        maker: Makes an agent's brain.
        name: The policy's name in records.
    """

    def __init__(self, maker: Maker, name: str) -> None:
        super().__init__(maker, name, family="silo")
        self._maker = maker
        self._has_faults = False

    def bind(self, env: Any) -> None:
        """Take note of whether messages can be lost or corrupted.

        Raises:
            ConfigError: If the environment is of another family.
        """
        super().bind(env)
        self._has_faults = bool(env.unwrapped.options.rates)

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Give every agent a new brain."""
        n_agents = infos[agents[0]]["view"]["n_agents"] if agents else 0
        is_careful = self._has_faults or len(agents) < n_agents
        self._factory = CarefulMaker(self._maker) if is_careful else self._maker
        super().reset(agents, infos, seed)


def all_gather() -> SiloPolicy:
    """Tell everybody the private data of everybody; let everybody solve the whole."""
    return SiloPolicy(AllGather, "silo:all-gather")


def optimal() -> SiloPolicy:
    """Send the fewest messages that the task needs.

    Partial results go to one agent and the answer back, or along the agents from each to the
    next.
    """
    return SiloPolicy(best_brain, "silo:optimal")


def local() -> SiloPolicy:
    """Say nothing: answer from the own shard alone."""
    return SiloPolicy(Local, "silo:local")
