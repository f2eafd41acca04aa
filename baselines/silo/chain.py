"""Brains of agents that talk only with the agents beside them."""

from typing import Any

import numpy as np

from coordgym.baselines.silo.brain import Brain
from coordgym.baselines.silo.partial_results.forms import Scan
from coordgym.baselines.silo.partial_results.mesh import SCANS, evolve, far_margin, near_margin
from coordgym.baselines.silo.post import Letter, as_json
from coordgym.contract.base import Info


class Chain(Brain):
    """Waits for the carry of the agent before, sends its own to the next, and answers."""

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        super().__init__(agent, info, rng)
        self._answer: str | None = None
        if self.me == 0:
            self._take(self._scan.start(self.extra))

    @property
    def _scan(self) -> Scan:
        return SCANS[self.task.id]  # looked up, not kept: a brain must be picklable

    @staticmethod
    def fits(info: Info) -> bool:
        """Tell whether the carry can pass through all agents within the rounds of the episode."""
        view = info["view"]
        handed = view["protocol"] == "p2p" and view["delivery"] == "push"
        rounds_per_agent = 1 if handed else 2  # reading what has arrived takes another round
        rounds: int = rounds_per_agent * (view["n_agents"] - 1) + 1
        limit: int = info["max_cycles"]
        return rounds <= limit

    def _take(self, carry: Any) -> None:
        self._answer = as_json(self._scan.conclude(carry, self.shard, self.extra))
        following = self.me + 1
        if following < self.n_agents:
            summary = self._scan.summarise(self.shard, self.extra)
            passed_on = self._scan.advance(carry, summary, self.extra)
            self.post.send(Letter("carry", self.me, passed_on), [following])

    def _act(self, info: Info) -> str:
        for letter in self.post.collect(info["view"]):
            if letter.kind == "carry" and self._answer is None:
                self._take(letter.content)
        return self.post.turn(self._answer)


class Exchange(Brain):
    """Tells each of two neighbours the cells that it can feel; for the life game.

    A piece that is shorter than the number of steps passes on what it was told of the cells
    behind it, so that one letter each way is enough with pieces of any length.
    """

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        super().__init__(agent, info, rng)
        self._steps: int = self.extra["steps"]
        self._left: list[int] | None = [] if self.me == 0 else None
        self._right: list[int] | None = [] if self.me == self.n_agents - 1 else None
        self._told: set[int] = set()
        self._tell_neighbours()

    def _tell_neighbours(self) -> None:
        """Send to either side what is known there by now, once it is all that can be felt."""
        enough = len(self.shard) >= self._steps
        if enough or self._left is not None:
            cells = near_margin([*(self._left or []), *self.shard], self._steps)
            self._tell(self.me + 1, cells)
        if enough or self._right is not None:
            cells = far_margin([*self.shard, *(self._right or [])], self._steps)
            self._tell(self.me - 1, cells)

    def _tell(self, neighbour: int, cells: list[int]) -> None:
        if 0 <= neighbour < self.n_agents and neighbour not in self._told:
            self._told.add(neighbour)
            self.post.send(Letter("cells", self.me, cells), [neighbour])

    def _act(self, info: Info) -> str:
        for letter in self.post.collect(info["view"]):
            if letter.kind == "cells" and letter.about == self.me - 1:
                self._left = letter.content
            elif letter.kind == "cells" and letter.about == self.me + 1:
                self._right = letter.content
        self._tell_neighbours()
        if self._left is None or self._right is None:
            return self.post.turn()
        return self.post.turn(as_json(evolve((self._left, self._right), self.shard, self.extra)))
