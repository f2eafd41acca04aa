"""Transport by rules of growing strength: reactive, heuristic, communicating.

The strong one is in ``coordgym.baselines.swarm.transport_haulers``.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.baselines.swarm.transport_exits import ExitFinder, Way
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, distance, neighbours

_TRACK: Final = 3  # rounds for which an agent remembers where it walked
_WHIM: Final = 0.3  # probability of trying something else where the way leads nowhere


class Reactive(SwarmBrain):
    """Pushes at the box where it meets it, walks out of an opening in view, wanders otherwise."""

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view now."""
        for name in VECTORS:
            if self.seen.get(self.ahead(name)) in ("B", "*"):
                return name, ""
        wanted = [cell for cell, content in self.seen.items() if self.is_exit(cell, content)]
        wanted = wanted or [cell for cell, content in self.seen.items() if content == "B"]
        if not wanted:
            return self.free_step(), ""
        goal = min(wanted, key=lambda cell: distance(cell, self.here))
        return self.step_to([goal, *neighbours(goal)]), ""

    def is_exit(self, cell: Cell, content: str) -> bool:
        """Tell whether a cell in view is a free cell of the map's edge."""
        at_edge = cell[0] in (0, self.height - 1) or cell[1] in (0, self.width - 1)
        return at_edge and content == "."

    def is_free(self, cell: Cell) -> bool:
        """Let free cells of the edge be entered too, as far as they are in view."""
        return super().is_free(cell) or self.is_exit(cell, self.seen.get(cell, "W"))


class Heuristic(SwarmBrain):
    """Works out where the exit is, and pushes from behind in the direction that is due.

    All agents push the box sideways first, then outwards, then leave. Until it knows the exit,
    the agent searches one possible place after the other.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.finder = ExitFinder(self.height, self.width, info["view"]["box"])
        self.goal: int | None = None

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose from what is in view and in memory."""
        self.finder.look(self.seen)
        self.learn()
        way = self.finder.way
        if way is None:
            return self.search(), self.message()
        if self.finder.done == len(way.steps):
            return self.leave(way), self.message()
        return self.push(way, self.finder.done), self.message()

    def learn(self) -> None:
        """Take in nothing of what was heard."""

    def message(self) -> str:
        """Say nothing."""
        return ""

    def search(self) -> str:
        """Walk to a possible place of the exit, chosen by chance, until its gap is in view."""
        possible = self.finder.possible
        if not possible or len(possible) == len(self.finder.ways) == 1:
            return self.free_step()
        if self.goal not in possible:
            self.goal = possible[int(self.rng.integers(len(possible)))]
        plan = self.finder.ways[self.goal].exit
        return self.step_to([plan.cell(a, b) for a, b in plan.box if b == 1])

    def push(self, way: Way, done: int) -> str:
        """Take a place in line behind the box and push."""
        return self.in_line(lines(way, done, max(self.height, self.width)))

    def in_line(self, places: Mapping[Cell, str]) -> str:
        """Do what is due on the own place, or walk to the nearest free one."""
        if self.here in places:
            return places[self.here]
        return self.walk([cell for cell in places if self.is_free(cell)])

    def walk(self, goals: Sequence[Cell]) -> str:
        """Go to the nearest goal, or anywhere if no way is known."""
        return self.step_to(goals)

    def leave(self, way: Way) -> str:
        """Walk out of the exit."""
        plan = way.exit
        gap = range(plan.start, plan.start + plan.length)
        if plan.place(self.here)[0] in gap and self.seen.get(self.ahead(plan.outward)) != "W":
            return plan.outward  # whoever is in front is leaving too
        return self.step_to([plan.cell(along, -1) for along in gap])

    def is_free(self, cell: Cell) -> bool:
        """Let the exit be entered where no box or agent is seen, and what is behind it."""
        way = self.finder.way
        if way is not None and self.finder.done == len(way.steps):
            along, inward = way.exit.place(cell)
            if 0 <= along - way.exit.start < way.exit.length and inward in (-1, 0):
                return self.seen.get(cell, ".") in (".", "*")
        if self.seen.get(cell) is None and way is not None and cell in way.boxes[self.finder.done]:
            return False
        return super().is_free(cell)


class Communicating(Heuristic):
    """Tells where the exit is and how far the box has been pushed, and pushes through others."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.track: deque[Cell] = deque(maxlen=_TRACK)

    def learn(self) -> None:
        """Take in the messages heard."""
        for text in self.heard:
            self.finder.hear(text)

    def walk(self, goals: Sequence[Cell]) -> str:
        """Go to the nearest goal, through others if need be.

        Now and then do something else if this leads nowhere.
        """
        leads_nowhere = self.here in self.track
        self.track.append(self.here)
        if leads_nowhere and self.rng.random() < _WHIM:
            return STAY if self.rng.random() < 0.5 else self.free_step()
        return self.way_to(goals) or (self.shove(goals) if goals else self.free_step())

    def message(self) -> str:
        """Tell the exit, if it is known."""
        return self.finder.news()


def lines(way: Way, done: int, depth: int) -> dict[Cell, str]:
    """List the cells in line behind the box, each with the push that is due there.

    Args:
        way: The exit.
        done: Steps that the box has made; at least one is left.
        depth: Number of cells of each line.
    """
    push = way.steps[done]
    i, j = VECTORS[push]
    plan, box = way.exit, way.boxes[done]
    found = {}
    for cell in sorted(box):
        for _ in range(depth):
            cell = cell[0] - i, cell[1] - j
            inside = 0 < cell[0] < plan.height - 1 and 0 < cell[1] < plan.width - 1
            if cell in box or not inside:
                break
            found[cell] = push
    return found
