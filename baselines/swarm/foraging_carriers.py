"""Foraging, the strong way: know the possible mazes, tell which it is, keep to two lanes.

A map of a given size is one of few mazes (``coordgym.swarm_env.tasks.foraging.maze``). Each agent
rules out those that what it sees contradicts, tells the others which are left, and strikes out
what they have ruled out. Until one maze is left it walks to where what it needs is nearest in any
of them. Agents that carry food and agents that return keep to lanes of their own. On a map that is
none of these mazes an agent explores like the communicating rule.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

import numpy as np

from coordgym.baselines.swarm.foraging import FOOD, NEST, WALL, Communicating
from coordgym.baselines.swarm.foraging_circuits import circuit, letters, mazes, sides
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, after
from coordgym.swarm_env.tasks.foraging import MIN_SIDE

_MAZES = re.compile(r"mazes((?: \d{1,2})+)\Z")
_GIVE_WAY: Final = 0.15  # probability of a random step when held up

# By how many cells a way seems longer that leads through a cell …
_OTHER_LANE: Final = 3.0  # … of the lane of those that walk the other way,
_NO_LANE: Final = 0.2  # … of no lane,
_FOLLOWED: Final = 0.5  # … on which an agent stands that walks the same way,
_FACED: Final = 3.0  # … on which one stands that walks the other way.
_NO_WALLS: Final = 8  # largest side of a map without inner walls; ways are short, nobody lags


class Ground(NamedTuple):
    """A maze as an agent with or without food walks it.

    Attributes:
        steps: Per cell that can be entered, the directions to others and what lies there.
        goals: Those next to what the agent needs.
        off_lane: By how many cells a way seems longer that leads through a cell, for all that are
            not of the lane of agents with the same load.
    """

    steps: Mapping[Cell, Sequence[tuple[str, Cell]]]
    goals: frozenset[Cell]
    off_lane: Mapping[Cell, float]


@lru_cache(maxsize=64)
def ground(grid: tuple[str, ...], carrying: bool) -> Ground:
    """Read a maze; a pure function."""
    cells = letters(grid)
    lanes = circuit(grid)
    own, other = lanes.to_nest, lanes.to_food
    if not carrying:
        own, other = other, own
    empty = {cell for cell, letter in cells.items() if letter == "."}
    ways = {
        cell: [(name, after(cell, step)) for name, step in VECTORS.items()]
        for cell in sorted(empty)
    }
    return Ground(
        steps={cell: [way for way in found if way[1] in empty] for cell, found in ways.items()},
        goals=frozenset(sides(cells, NEST if carrying else FOOD)),
        off_lane={
            cell: _OTHER_LANE if cell in other else _NO_LANE for cell in empty.difference(own)
        },
    )


class Carrier(Communicating):
    """One agent of the chain between food and nest."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        sized = min(self.height, self.width) >= MIN_SIDE
        self.mazes = mazes(self.height, self.width) if sized else ()
        self.walked = [_without_unusable(grid, self.usable) for grid in self.mazes]
        self.fitting = set(range(len(self.mazes)))  # by what the agent itself has seen
        self.left = self.fitting.copy()  # by what it was told, too
        self.carrying = False
        self.followed = 0.0 if max(self.height, self.width) <= _NO_WALLS else _FOLLOWED

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Rule out mazes, then walk to the nearest goal in any that is left."""
        self.carrying = view["carrying_food"]
        self.rule_out()
        if not self.left:
            return super().decide(view)
        self.learn()
        crowd = self._crowd()
        _, action = min(self.first_step(number, crowd) for number in sorted(self.left))
        if action != STAY and self.held_up() and self.rng.random() < _GIVE_WAY:
            action = self.free_step()
        return action, "mazes " + " ".join(map(str, sorted(self.left)))

    def rule_out(self) -> None:
        """Strike out mazes by what is in view, and by what was heard unless nothing is left."""
        self.fitting = {number for number in self.fitting if self._fits(self.mazes[number])}
        self.left &= self.fitting
        for text in self.heard:
            match = _MAZES.match(text)
            if match is not None:
                self.left &= set(map(int, match[1].split()))
        self.left = self.left or self.fitting.copy()

    def _fits(self, grid: tuple[str, ...]) -> bool:
        return all(
            grid[i][j] == (letter if letter in (WALL, FOOD, NEST) else ".")
            for (i, j), letter in self.seen.items()
            if letter != "*"
        )

    def first_step(self, number: int, crowd: Mapping[Cell, float]) -> tuple[float, str]:
        """Tell how long the way to the nearest goal seems in a maze, and its first step."""
        land = ground(self.walked[number], self.carrying)
        if self.here in land.goals:
            return 0.0, STAY
        off_lane = land.off_lane if len(self.left) == 1 else {}
        cost = {self.here: 0.0}
        queue = [(0.0, 0, self.here, STAY)]
        while queue:
            so_far, _, cell, first = heappop(queue)
            if cell in land.goals:
                return so_far, first
            if so_far > cost[cell]:
                continue
            for name, near in land.steps.get(cell, ()):
                total = so_far + 1.0 + crowd.get(near, 0.0) + off_lane.get(near, 0.0)
                if total < cost.get(near, float("inf")):
                    cost[near] = total
                    step = name if cell == self.here else first
                    heappush(queue, (total, len(cost) + len(queue), near, step))
        return float("inf"), STAY

    def _crowd(self) -> dict[Cell, float]:
        """Return by how many cells a way seems longer that leads through an agent in view."""
        return {
            cell: self.followed if (seen[0] != "$") == self.carrying else _FACED
            for cell, seen in self.seen.items()
            if seen.lstrip("$").isdigit()
        }


def _without_unusable(grid: Collection[str], usable: int) -> tuple[str, ...]:
    """Wall a maze where food and nest don't work; unchanged if nothing would be left."""
    masked = tuple(
        "".join(
            WALL if letter in (FOOD, NEST) and max(i, j) >= usable else letter
            for j, letter in enumerate(row)
        )
        for i, row in enumerate(grid)
    )
    text = "".join(masked)
    return masked if FOOD in text and NEST in text else tuple(grid)
