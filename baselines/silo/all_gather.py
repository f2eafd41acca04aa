"""Brains that need no rules of a task but its solution: they share everything, or nothing."""

from typing import Any

import numpy as np

from coordgym.baselines.silo.brain import Brain
from coordgym.baselines.silo.post import Letter, as_json
from coordgym.contract.base import Info
from coordgym.errors import InstanceError


class Local(Brain):
    """Answers at once, as if its own shard were everything."""

    def _act(self, info: Info) -> str:
        try:
            self.task.check([self.shard], self.extra)
            answer = self.task.solve([self.shard], self.extra)
        except InstanceError:
            return self.post.turn("null")
        return self.post.turn(as_json(answer[0] if self.segmented else answer))


class AllGather(Brain):
    """Tells everybody in reach its own part, passes on what others can't get directly, solves."""

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        super().__init__(agent, info, rng)
        self.parts: dict[int, Any] = {}
        if not self.alone:
            self._learn(Letter("share", self.me, self._own_part()))

    def _own_part(self) -> Any:
        return self.task.private_part(self.shard)

    def _learn(self, letter: Letter) -> None:
        """Keep a part that is new; own parts, and in sparse topologies all, are sent on."""
        if letter.kind != "share" or letter.about in self.parts:
            return
        self.parts[letter.about] = letter.content
        if letter.about == self.me or self.post.neighbours is not None:
            self.post.send(letter)

    def _act(self, info: Info) -> str:
        for letter in self.post.collect(info["view"]):
            self._learn(letter)
        if len(self.parts) == self.n_agents:
            return self.post.turn(as_json(self._answer_from_parts()))
        if info["round"] >= info["max_cycles"] - 1:
            return self.post.turn(self._best_guess())
        return self.post.turn()

    def _best_guess(self) -> str:
        """Return the answer as if nothing were missing by the last round; null if undefined."""
        known = [self.parts[agent] for agent in sorted(self.parts)]
        try:
            shards = [self.task.whole_shard(part, self.shard) for part in known]
            self.task.check(shards, self.extra)
            answer = self.task.solve(shards, self.extra)
        except InstanceError:
            return "null"
        mine = sorted(self.parts).index(self.me)
        return as_json(answer[mine] if self.segmented else answer)

    def _answer_from_parts(self) -> Any:
        shards = [
            self.shard if agent == self.me else self.task.whole_shard(part, self.shard)
            for agent, part in sorted(self.parts.items())
        ]
        return self._answer_from(shards)
