"""Flocking by rules of growing strength: reactive, heuristic, communicating, strong."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, Cell, distance, neighbours
from coordgym.swarm_env.tasks.flocking import shape_cells, target_shape

_TAKEN: Final = re.compile(r"taken((?: \d{1,4},\d{1,4}){1,12})\Z")
_TOLD: Final = 8  # places named in a message, which has room for 120 characters
_PATIENCE: Final = 12  # rounds for which a place that was seen or told to be taken counts as such
_WHIM: Final = 0.5  # probability of waiting when it has walked to and fro


class Reactive(SwarmBrain):
    """Walks to the middle of the agents in view and stops beside another agent."""

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view now."""
        others = [cell for cell, content in self.seen.items() if content.isdigit()]
        if not others:
            return self.free_step(), ""
        if any(cell in others for cell in neighbours(self.here)):
            return STAY, ""
        middle = (
            round(sum(row for row, _ in others) / len(others)),
            round(sum(column for _, column in others) / len(others)),
        )
        return self.step_to([middle, *neighbours(middle)]), ""


class Heuristic(SwarmBrain):
    """Takes the nearest place of a square in the middle of the map that it does not see taken."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.places = middle_square(self.height, self.width, self.n_agents)
        self.goal: Cell | None = None

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view."""
        if self.here in self.places:
            return STAY, ""
        free = [cell for cell in self.places if self.seen.get(cell, ".") == "."]
        if not free:
            return STAY, ""
        nearest = min(distance(self.here, cell) for cell in free)
        return self.step_to([c for c in free if distance(self.here, c) == nearest]), ""


class Communicating(Heuristic):
    """Tells which places of the square it sees taken, and passes by those that it hears of."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.taken: dict[Cell, int] = {}  # round in which it was last seen or told

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view, in memory and heard."""
        now = int(view["round"])
        in_view = [c for c in self.places if self.seen.get(c, ".") != "."]
        self.learn(now, in_view)
        return self.move([c for c in self.places if c not in self.taken]), self.message(in_view)

    def learn(self, now: int, in_view: Sequence[Cell]) -> None:
        """Note the places that are seen or told to be taken, forget old news and the free ones."""
        for text in self.heard:
            match = _TAKEN.match(text)
            for pair in match[1].split() if match else ():
                row, column = map(int, pair.split(","))
                if (row, column) in self.places:
                    self.taken[row, column] = now - 1
        self.taken.update(dict.fromkeys(in_view, now))
        self.taken = {
            cell: when
            for cell, when in self.taken.items()
            if now - when < _PATIENCE and self.seen.get(cell) != "."
        }

    def move(self, free: Sequence[Cell]) -> str:
        """Go to the nearest free place; wander if none is known."""
        if self.here in self.places:
            return STAY
        if not free:
            return self.free_step()
        nearest = min(distance(self.here, cell) for cell in free)
        return self.step_to([cell for cell in free if distance(self.here, cell) == nearest])

    def message(self, in_view: Sequence[Cell]) -> str:
        """Name some of the places seen to be taken, drawn by chance.

        Not those heard of: agents would keep telling each other what is no longer so.
        """
        if not in_view:
            return ""
        drawn = sorted(self.rng.permutation(len(in_view))[:_TOLD])
        return "taken " + " ".join(f"{in_view[at][0]},{in_view[at][1]}" for at in drawn)


class Persistent(Communicating):
    """The strong one: makes way at the corners, and pushes through where there is no way."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        rows = [row for row, _ in self.places]
        columns = [column for _, column in self.places]
        ends = product((min(rows), max(rows)), (min(columns), max(columns)))
        self.corners = frozenset(ends)

    def is_free(self, cell: Cell) -> bool:
        """Count the places that it remembers as taken as in the way, too."""
        return super().is_free(cell) and (cell in self.seen or cell not in self.taken)

    def move(self, free: Sequence[Cell]) -> str:
        """Go to the nearest free place, or from a place into a free corner beside it.

        A corner may be out of reach of others once the places beside it are taken.
        """
        if self.here in self.places:
            beside = [cell for cell in neighbours(self.here) if cell in self.corners]
            empty = [cell for cell in beside if self.seen.get(cell) == "."]
            return self.step_to(empty) if empty and self.here not in self.corners else STAY
        if not free:
            return self.free_step()
        if self.to_and_fro() and self.rng.random() < _WHIM:
            return STAY
        return self.way_to(free) or self.shove(free)


def middle_square(height: int, width: int, n_agents: int) -> list[Cell]:
    """List the places of the square in the middle of the map."""
    shape = target_shape(n_agents)
    top, left = (height - len(shape)) // 2, (width - len(shape)) // 2
    return [(top + i, left + j) for i, j in shape_cells(shape)]
