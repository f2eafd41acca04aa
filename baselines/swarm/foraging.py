"""Foraging by rules of growing strength: reactive, heuristic, communicating.

The strong one is in ``coordgym.baselines.swarm.foraging_carriers``.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, distance, neighbours

FOOD, NEST, WALL = "F", "N", "W"
_PLACES = re.compile(r"([FN]) (\d{1,4}) (\d{1,4})")
_GIVE_WAY: Final = 0.3  # probability of a random step when held up


class Reactive(SwarmBrain):
    """Steps towards food or nest in view, whichever it needs; wanders otherwise."""

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view now."""
        wanted = NEST if view["carrying_food"] else FOOD
        goals = {
            near
            for cell, letter in self.seen.items()
            if letter == wanted
            for near in neighbours(cell)
            if self.is_free(near)
        }
        return (self.step_to(goals) if goals else self.free_step()), ""


class Heuristic(SwarmBrain):
    """Remembers walls, food and nest; walks to what it needs, or to the nearest unseen cell.

    Attributes:
        known: What stands still on each cell seen so far: ``.``, ``W``, ``F``, ``N``.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.known: dict[Cell, str] = {}
        # The published rules take no food and no delivery at cells beyond a square map.
        side = min(self.height, self.width)
        self.usable = side if info["view"]["compat"] else max(self.height, self.width)

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view and in memory."""
        self.learn()
        return self.step(self.goals(NEST if view["carrying_food"] else FOOD)), self.message()

    def learn(self) -> None:
        """Note what stands still; a cell with an agent on it is as good as empty."""
        for cell, letter in self.seen.items():
            if letter != "*":
                self.known[cell] = letter if letter in (FOOD, NEST, WALL) else "."

    def goals(self, wanted: str) -> set[Cell]:
        """List the cells next to what is wanted; unseen cells if it is not known."""
        sides = {
            near
            for cell, letter in self.known.items()
            if letter == wanted and max(cell) < self.usable
            for near in neighbours(cell)
            if self.is_open(near)
        }
        return sides or {
            (i, j)
            for i in range(1, self.height - 1)
            for j in range(1, self.width - 1)
            if (i, j) not in self.known
        }

    def is_open(self, cell: Cell) -> bool:
        """Tell whether a cell is within the border and not known to be filled for good."""
        inside = 0 < cell[0] < self.height - 1 and 0 < cell[1] < self.width - 1
        return inside and self.known.get(cell, ".") == "."

    def step(self, goals: Collection[Cell]) -> str:
        """Take the first step of a shortest way around other agents, or else through them."""
        if self.here in goals:
            return STAY
        if self.held_up() and self.rng.random() < _GIVE_WAY:
            return self.free_step()
        return self.way(goals, around=True) or self.way(goals, around=False) or self.free_step()

    def way(self, goals: Collection[Cell], *, around: bool) -> str | None:
        """Find the first step of a shortest way to a goal over open cells, None if there is none.

        Args:
            goals: Where to go.
            around: Whether cells on which an agent is seen count as filled.
        """
        names = list(VECTORS)
        self.rng.shuffle(names)
        first: dict[Cell, str] = {self.here: STAY}
        ring = [self.here]
        while ring:
            wider = []
            for cell in ring:
                for name in names:
                    i, j = VECTORS[name]
                    near = cell[0] + i, cell[1] + j  # a call here would cost a tenth of the time
                    if near in first or not self.is_open(near):
                        continue
                    if around and not self.is_free(near):
                        continue
                    first[near] = name if cell == self.here else first[cell]
                    if near in goals:
                        return first[near]
                    wider.append(near)
            ring = wider
        return None

    def message(self) -> str:
        """Say nothing."""
        return ""


class Communicating(Heuristic):
    """Tells where food and nest are, as far as it knows, and learns it from others."""

    def learn(self) -> None:
        """Note what is in view and what was heard."""
        super().learn()
        for text in self.heard:
            for letter, row, column in _PLACES.findall(text):
                cell = int(row), int(column)
                if max(cell[0] - self.height, cell[1] - self.width) < 0:
                    self.known.setdefault(cell, letter)

    def message(self) -> str:
        """Name the known cells of food and nest nearest to the agent."""
        parts = []
        for letter in (FOOD, NEST):
            cells = [cell for cell, found in self.known.items() if found == letter]
            if cells:
                row, column = min(cells, key=lambda cell: distance(cell, self.here))
                parts.append(f"{letter} {row} {column}")
        return ", ".join(parts)
