"""Pursuit by rules of growing strength: reactive, heuristic, communicating.

The strong one is in ``coordgym.baselines.swarm.pursuit_trappers``.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, Cell, distance, neighbours

_FRESH: Final = 4  # rounds for which a sighting is worth following
_SIGHTING = re.compile(r"prey (\d{1,4}) (\d{1,4}) at (\d{1,6})\Z")


class Reactive(SwarmBrain):
    """Runs at a prey in view along the longer axis; wanders otherwise."""

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view now."""
        prey = self.find("P")
        if prey is None:
            return self.free_step(), ""
        return self.chase(prey), ""

    def chase(self, prey: Cell) -> str:
        """Step onto a free cell that is nearer, STAY next to the prey."""
        if distance(self.here, prey) == 1:
            return STAY
        down, right = prey[0] - self.here[0], prey[1] - self.here[1]
        ways = ["DOWN" if down > 0 else "UP", "RIGHT" if right > 0 else "LEFT"]
        if abs(right) > abs(down):
            ways.reverse()
        for name in ways:
            cell = self.ahead(name)
            if distance(cell, prey) < distance(self.here, prey) and self.is_free(cell):
                return name
        return self.free_step()


class Heuristic(SwarmBrain):
    """Takes a free side of the prey, remembers where it was, and searches the map's far side."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.sighting: tuple[int, Cell] | None = None  # round and cell
        self.goal: Cell | None = None

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view and in memory."""
        now = int(view["round"])
        self.learn(now)
        if self.sighting is not None and now - self.sighting[0] <= _FRESH:
            prey = self.sighting[1]
            self.goal = None
            if distance(self.here, prey) == 1 and self.seen.get(prey) == "P":
                return STAY, self.message()
            sides = [cell for cell in neighbours(prey) if self.is_free(cell) or cell == self.here]
            return self.step_to(sides or neighbours(prey)), self.message()
        return self.search(), self.message()

    def learn(self, now: int) -> None:
        """Note the prey if it is in view."""
        prey = self.find("P")
        if prey is not None:
            self.sighting = (now, prey)

    def search(self) -> str:
        """Walk to random places one after the other."""
        if self.goal is None or distance(self.here, self.goal) <= 1:
            row = int(self.rng.integers(1, self.height - 1))
            column = int(self.rng.integers(1, self.width - 1))
            self.goal = row, column
        return self.step_to([self.goal, *neighbours(self.goal)])

    def message(self) -> str:
        """Say nothing."""
        return ""


class Communicating(Heuristic):
    """Tells where it saw the prey, passes on what it hears, and follows the newest sighting."""

    def learn(self, now: int) -> None:
        """Note the newest of what is in view and what was heard."""
        super().learn(now)
        for text in self.heard:
            match = _SIGHTING.match(text)
            if match is not None:
                row, column, when = map(int, match.groups())
                if when <= now and (self.sighting is None or when > self.sighting[0]):
                    self.sighting = (when, (row, column))

    def message(self) -> str:
        """Name the newest sighting."""
        if self.sighting is None:
            return ""
        when, (row, column) = self.sighting
        return f"prey {row} {column} at {when}"
