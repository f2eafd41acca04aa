"""Transport, the strong way: search from the middle, push in broad lines.

Agents look for the exit from the middle of the map where it can be seen from there, and tell each
other. They stand behind the box in lines that are short enough to be walked around, and fill the
lines by the wall first.
"""

from math import ceil
from typing import Final

import numpy as np

from coordgym.baselines.swarm.transport import Communicating, lines
from coordgym.baselines.swarm.transport_exits import Way
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, Cell, distance

LINES: Final = 3
"""Lines of agents that fit behind the box side by side."""


class Hauler(Communicating):
    """One agent of the team; all do the same."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.sight = info["view"]["view_size"] // 2
        self.square = info["view"]["box"] == "square"
        self.noisy = info["view"]["noise"] > 0

    def message(self) -> str:
        """Tell the exit, if it is known, else which are possible."""
        if self.noisy:  # one wrong digit would mislead everybody
            return self.finder.copied_news()
        return self.finder.news() or self.finder.left()

    def search(self) -> str:
        """Go to the middle if the exit can be seen from there, else search place by place."""
        middle = self.height // 2, self.width // 2
        ways = [self.finder.ways[number] for number in self.finder.possible]
        if ways and all(self._sees_from(middle, way) for way in ways):
            rows, columns = (middle[0] - 1, middle[0]), (middle[1] - 1, middle[1])
            return self.step_to([(row, column) for row in rows for column in columns])
        if self.square:
            return super().search()
        return self._look_nearby() if ways else self.free_step()

    def _look_nearby(self) -> str:
        """Walk to the possible place of the exit that is nearest."""
        fronts = []
        for number in self.finder.possible:
            plan = self.finder.ways[number].exit
            fronts += [plan.cell(along, inward) for along, inward in plan.box if inward == 1]
        nearest = min(distance(self.here, cell) for cell in fronts)
        return self.step_to([c for c in fronts if distance(self.here, c) == nearest])

    def _sees_from(self, place: Cell, way: Way) -> bool:
        return any(
            max(abs(row - place[0]), abs(column - place[1])) <= self.sight
            for row, column in way.boxes[0]
        )

    def push(self, way: Way, done: int) -> str:
        """Push in the shortest lines that have room for all; the square needs no order."""
        if self.square:
            return super().push(way, done)
        for depth in range(ceil(self.n_agents / LINES), max(self.height, self.width)):
            places = lines(way, done, depth)
            if self.here in places:
                wall = self.ahead(self.wallwards(way, done))
                room = wall in places and self.seen.get(wall) == "."
                return self.step_to([wall]) if room else places[self.here]
            free = [cell for cell in places if self.is_free(cell)]
            if free:
                return self.walk(free)
        return STAY

    def wallwards(self, way: Way, done: int) -> str:
        """Return the direction in which lines are filled: away from where agents come.

        A line next to a wall may be out of reach once the others are taken.
        """
        plan = way.exit
        return plan.outward if way.steps[done] == plan.sideways else plan.sideways
