"""What all swarm brains share: reading a view, finding ways, writing an answer."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np

from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, after, distance

_WHIM: Final = 0.3  # probability of a random step in place of a push through others


class SwarmBrain(ABC):
    """One agent of the swarm; it knows only its own observations.

    Attributes:
        here: Own cell.
        seen: What stands on each cell in view: ``.``, letters, agents by number.
        heard: Messages heard in this round.
        past: Own cell and action in the last two rounds, the newest last.

    Args:
        info: The agent's info at reset.
        rng: The agent's own generator.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        view = info["view"]
        self.number: int = view["agent"]
        self.n_agents: int = view["n_agents"]
        self.height: int = view["height"]
        self.width: int = view["width"]
        self.rng = rng
        self.here: Cell = (0, 0)
        self.seen: dict[Cell, str] = {}
        self.heard: list[str] = []
        self.past: deque[tuple[Cell, str]] = deque(maxlen=2)

    def act(self, observation: str, info: Info) -> str:
        """Read the view, then choose an action and perhaps a message."""
        view: Mapping[str, Any] = info["view"]
        row, column = view["position"]
        self.here = row, column
        top, left = view["top"], view["left"]
        self.seen = {
            (top + i, left + j): cell
            for i, line in enumerate(view["cells"])
            for j, cell in enumerate(line)
        }
        self.heard = view["messages"]
        action, message = self.decide(view)
        self.past.append((self.here, action))
        return f"ACTION: {action}\nMSG: {message}" if message else f"ACTION: {action}"

    @abstractmethod
    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Choose an action and a message (empty for none)."""

    def ahead(self, name: str) -> Cell:
        """Return the next cell in a direction."""
        return after(self.here, VECTORS[name])

    def is_free(self, cell: Cell) -> bool:
        """Tell whether a cell in sight may be entered; the border counts as wall."""
        inside = 0 < cell[0] < self.height - 1 and 0 < cell[1] < self.width - 1
        return inside and self.seen.get(cell, ".") == "."

    def find(self, letter: str) -> Cell | None:
        """Find the first cell in view that shows a letter."""
        return next((cell for cell, content in self.seen.items() if content == letter), None)

    def held_up(self) -> bool:
        """Tell whether its last step came to nothing."""
        return bool(self.past) and self.past[-1][0] == self.here and self.past[-1][1] != STAY

    def to_and_fro(self) -> bool:
        """Tell whether it left this cell two rounds ago and came back to it.

        Agents that walk in step may keep each other doing so for ever; who waits breaks it.
        """
        return len(self.past) == 2 and self.past[0][0] == self.here != self.past[1][0]

    def step_to(self, goals: Collection[Cell]) -> str:
        """Take the first step of a shortest way to the nearest goal around all that is in view.

        STAY if the agent is there; a random free step if no way is known.
        """
        return self.way_to(goals) or self.free_step()

    def way_to(self, goals: Collection[Cell]) -> str | None:
        """Step as ``step_to``; return None if no way is known."""
        if self.here in goals:
            return STAY
        names = list(VECTORS)
        self.rng.shuffle(names)
        first: dict[Cell, str] = {self.here: STAY}
        queue = deque([self.here])
        while queue:
            cell = queue.popleft()
            for name in names:
                i, j = VECTORS[name]
                near = cell[0] + i, cell[1] + j  # a call here would cost a tenth of the time
                if near in first or not self.is_free(near):
                    continue
                first[near] = name if cell == self.here else first[cell]
                if near in goals:
                    return first[near]
                queue.append(near)
        return None

    def shove(self, goals: Collection[Cell]) -> str:
        """Step straight towards the nearest goal, through agents in the way.

        A random step if there is none, and at times, so that agents that hinder each other don't
        do so for ever.
        """
        goal = min(goals, key=lambda cell: distance(cell, self.here))
        nearer = []
        for name in VECTORS:
            cell = self.ahead(name)
            passable = self.is_free(cell) or self.seen.get(cell, "W").strip("$").isdigit()
            if passable and distance(cell, goal) < distance(self.here, goal):
                nearer.append(name)
        if not nearer or self.rng.random() < _WHIM:
            return self.free_step()
        return nearer[int(self.rng.integers(len(nearer)))]

    def free_step(self) -> str:
        """Step at random onto a free cell, STAY if there is none."""
        free = [name for name in VECTORS if self.is_free(self.ahead(name))]
        return free[int(self.rng.integers(len(free)))] if free else STAY
