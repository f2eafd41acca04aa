"""Pursuit, the strong way: hold a formation, let the prey run into a trap, close it.

All agents know the two formations of ``coordgym.baselines.swarm.pursuit_formation`` and their own
number, so that each can find its slot alone. Which formation is due they agree on without a word:
before the first capture they change it after a fixed number of rounds without one; after a capture
the prey mostly reappears in the middle of the formation for even cells, which they then keep.
Whoever sees or hears which parity the prey has since the last capture says so. Not every size and
number of agents has formations that work: after a long time without a capture all hunt like the
communicating rule instead.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.baselines.swarm.pursuit import Communicating, Heuristic
from coordgym.baselines.swarm.pursuit_formation import Formation, formation
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, distance

PATIENCE: Final = 22
"""Rounds in which a formation has to catch the prey before the other is tried."""
GIVE_UP: Final = 3 * PATIENCE
"""Rounds without a capture after which the formations are given up for good."""
EVEN, ODD = 0, 1
_WHIM: Final = 0.5  # probability of doing something else when it does not get on
_NEWS = re.compile(r"prey ([01]) score (\d{1,6})\Z")


class Trapper(Communicating):
    """One agent of the formation."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.score = 0
        self.since = 0
        self.gave_up = False
        self.parity: int | None = None

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Go to the slot, or close the trap that the prey is in."""
        now, score = int(view["round"]), int(view["score"])
        if score != self.score:
            self.score, self.since, self.parity = score, now, None
        self.gave_up = self.gave_up or now - self.since >= GIVE_UP
        if self.gave_up:  # in the same round as all others: everybody knows the score
            return super().decide(view)
        prey = self.find("P")
        self._learn_parity(prey)
        due = self._due(now)
        plan = formation(self.height, self.width, self.n_agents, due)
        slot = slots_by_agent(self.height, self.width, self.n_agents)[due][self.number]
        action = self._closing(plan, slot, prey) or self._to_slot(plan.slots[slot])
        message = "" if self.parity is None else f"prey {self.parity} score {self.score}"
        return action, message

    def _learn_parity(self, prey: Cell | None) -> None:
        if prey is not None:
            self.parity = sum(prey) % 2
            return
        for text in self.heard:
            match = _NEWS.match(text)
            if match is not None and int(match[2]) == self.score:
                self.parity = int(match[1])

    def _due(self, now: int) -> int:
        """Return the parity of the formation to be in."""
        if self.parity is not None:
            return self.parity
        return ((now - self.since) // PATIENCE) % 2

    def _closing(self, plan: Formation, slot: int, prey: Cell | None) -> str | None:
        """Close a trap with the prey in it by a step, if it is this agent's to do."""
        if prey is None or prey not in plan.closers:
            return None
        side = plan.closers[prey].get(slot)
        if side is None:
            return None
        if self.here == side:
            return STAY
        if distance(self.here, side) != 1:
            return None
        return next(name for name in VECTORS if self.ahead(name) == side)

    def _to_slot(self, goal: Cell) -> str:
        if self.held_up() and self.rng.random() < _WHIM:
            return self.free_step()  # two agents may want to pass each other
        if self.to_and_fro() and self.rng.random() < _WHIM:
            return STAY
        return self.step_to([goal])


@lru_cache(maxsize=32)
def slots_by_agent(height: int, width: int, n_agents: int) -> tuple[tuple[int, ...], ...]:
    """Give each agent a slot, by parity: the changes of formation are short in sum."""
    from scipy.optimize import linear_sum_assignment

    even, odd = (formation(height, width, n_agents, parity).slots for parity in (EVEN, ODD))
    cost = [[distance(cell, other) for other in odd] for cell in even]
    _, columns = linear_sum_assignment(cost)
    return tuple(range(len(even))), tuple(int(column) for column in columns)


def strong(info: Info, rng: np.random.Generator) -> SwarmBrain:
    """Make a trapper, or a heuristic under the published rules: there the prey mostly stays put."""
    return Heuristic(info, rng) if info["view"]["compat"] else Trapper(info, rng)
