"""The swarm policies by name; ``baselines/table.py`` lists them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from coordgym.baselines.swarm import flocking, foraging, synchronization, transport
from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.baselines.swarm.foraging_carriers import Carrier
from coordgym.baselines.swarm.pursuit import Communicating, Heuristic, Reactive
from coordgym.baselines.swarm.pursuit_trappers import Trapper
from coordgym.baselines.swarm.transport_haulers import Hauler
from coordgym.contract.base import Info
from coordgym.errors import UnknownPolicyError
from coordgym.policies.protocol import PerAgent, per_agent

Maker = Callable[[Info, np.random.Generator], SwarmBrain]


def _strong_pursuit(info: Info, rng: np.random.Generator) -> SwarmBrain:
    """The trap, or the heuristic under the published rules: there the prey mostly stays put."""
    return Heuristic(info, rng) if info["view"]["compat"] else Trapper(info, rng)


BRAINS: Final[Mapping[str, Mapping[str, Maker]]] = {
    "pursuit": {
        "reactive": Reactive,
        "heuristic": Heuristic,
        "communicating": Communicating,
        "strong": _strong_pursuit,
    },
    "synchronization": {
        "reactive": synchronization.Reactive,
        "heuristic": synchronization.Heuristic,
        "communicating": synchronization.Communicating,
        "strong": synchronization.Clockwork,
    },
    "foraging": {
        "reactive": foraging.Reactive,
        "heuristic": foraging.Heuristic,
        "communicating": foraging.Communicating,
        "strong": Carrier,
    },
    "transport": {
        "reactive": transport.Reactive,
        "heuristic": transport.Heuristic,
        "communicating": transport.Communicating,
        "strong": Hauler,
    },
    "flocking": {
        "reactive": flocking.Reactive,
        "heuristic": flocking.Heuristic,
        "communicating": flocking.Communicating,
        "strong": flocking.Persistent,
    },
}
"""By task, then by name."""


@dataclass(frozen=True, slots=True)
class BrainMaker:
    """Makes the brains of a policy; it can be pickled, as what policies hold must.

    Attributes:
        name: Which of the ``BRAINS`` of a task.
    """

    name: str

    def __call__(self, agent: str, info: Info, rng: np.random.Generator) -> SwarmBrain:
        """Make one agent's brain."""
        task = info["view"]["task"]
        if task not in BRAINS:
            raise UnknownPolicyError(
                f"swarm:{self.name} plays {', '.join(BRAINS)}; it has no rules for {task!r}"
            )
        return BRAINS[task][self.name](info, rng)


def _policy(name: str) -> PerAgent:
    return per_agent(BrainMaker(name), f"swarm:{name}", family="swarm")


def reactive() -> PerAgent:
    """Reacts to what is in view."""
    return _policy("reactive")


def heuristic() -> PerAgent:
    """Remembers, plans its way, says nothing."""
    return _policy("heuristic")


def communicating() -> PerAgent:
    """Tells others what it sees and follows what it hears."""
    return _policy("communicating")


def strong() -> PerAgent:
    """Plays each task as well as we know how to."""
    return _policy("strong")
