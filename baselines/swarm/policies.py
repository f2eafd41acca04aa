"""The swarm policies by name; ``baselines/table.py`` lists them."""

from dataclasses import dataclass

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.baselines.swarm.wanderer import Wanderer
from coordgym.contract.base import Info
from coordgym.loading import load
from coordgym.policies.protocol import PerAgent, per_agent
from coordgym.swarm_env import table


@dataclass(frozen=True, slots=True)
class BrainMaker:
    """Makes the brains of a policy; it can be pickled, as what policies hold must.

    Attributes:
        name: The name under which the line of a task has its brain.
    """

    name: str

    def __call__(self, agent: str, info: Info, rng: np.random.Generator) -> SwarmBrain:
        """Make one agent's brain, a wanderer where the task names none."""
        brains = {entry.name: entry.brains for entry in table.TASKS}.get(info["view"]["task"], {})
        if self.name not in brains:
            return Wanderer(info, rng)
        brain: SwarmBrain = load(brains[self.name])(info, rng)
        return brain


def _policy(name: str) -> PerAgent:
    return per_agent(BrainMaker(name), f"swarm:{name}", family="swarm")


def reactive() -> PerAgent:
    """React to what is in view."""
    return _policy("reactive")


def heuristic() -> PerAgent:
    """Remember, plan one's way, say nothing."""
    return _policy("heuristic")


def communicating() -> PerAgent:
    """Tell others what one sees and follow what one hears."""
    return _policy("communicating")


def strong() -> PerAgent:
    """Play each task as well as we know how to."""
    return _policy("strong")
