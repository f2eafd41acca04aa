"""Synchronization by rules: reactive, heuristic, communicating, and the strong one.

An agent that switches does not move, so each rule first decides whether to gather.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, Cell

SWITCH: Final = "SWITCH"
_LEADER = re.compile(r"agent (\d{1,4}) is (on|off) in even rounds\Z")


class Reactive(SwarmBrain):
    """Follows the majority of the lights in view, and switches where all of them agree."""

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from the lights in view now."""
        return self.follow(view["light_on"]), ""

    def follow(self, own: bool) -> str:
        """Switch if the own light is in the minority, or if there is no minority in view."""
        others = [cell for cell in self.seen.values() if cell.lstrip("$").isdigit()]
        lit = own + sum(not cell.startswith("$") for cell in others)
        lights = 1 + len(others)
        if lit in (0, lights):
            return SWITCH
        return STAY if own == (2 * lit >= lights) else SWITCH


class Heuristic(Reactive):
    """Gathers in the middle of the map, then follows the majority there."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.gathered_by = max(self.height, self.width)

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Walk for a fixed number of rounds, then follow."""
        if view["round"] < self.gathered_by:
            return self.gather(), ""
        return self.follow(view["light_on"]), ""

    def gather(self) -> str:
        """Step towards the free cells nearest to the middle."""
        middle = self.height // 2, self.width // 2
        apart = _apart(self.here, middle)
        nearer = {cell for cell in self.seen if self.is_free(cell) and _apart(cell, middle) < apart}
        return self.step_to(nearer) if nearer else STAY


class Communicating(Heuristic):
    """Gathers, agrees meanwhile on the agent to follow, then switches in its rhythm.

    Each agent tells whose light it follows, that of the smallest number it has heard of, and
    whether that light is to be on in even rounds.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.leader = self.number
        self.on_in_even_rounds: bool = info["view"]["light_on"]

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Walk and talk for a fixed number of rounds, then keep the rhythm, still listening."""
        for text in self.heard:
            match = _LEADER.match(text)
            if match is not None and int(match[1]) < self.leader:
                self.leader, self.on_in_even_rounds = int(match[1]), match[2] == "on"
        light = "on" if self.on_in_even_rounds else "off"
        message = f"agent {self.leader} is {light} in even rounds"
        if view["round"] < self.gathered_by:
            return self.gather(), message
        return in_rhythm(view, self.on_in_even_rounds), message


class Clockwork(SwarmBrain):
    """The strong rule: everybody takes the clock for the leader, on after even rounds.

    The agents agree from the first round on without a word, and score in every round.
    """

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Have the light on after even rounds, off after odd ones."""
        return in_rhythm(view, on_in_even_rounds=True), ""


def in_rhythm(view: Mapping[str, Any], on_in_even_rounds: bool) -> str:
    """Bring the own light into the state that is due at the end of this round."""
    due = (view["round"] % 2 == 0) == on_in_even_rounds
    return STAY if view["light_on"] == due else SWITCH


def _apart(cell: Cell, other: Cell) -> int:
    return max(abs(cell[0] - other[0]), abs(cell[1] - other[1]))
