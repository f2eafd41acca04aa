"""The minds of single agents; each sees only its own view and knows the task's solution rule."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from coordgym.baselines.silo.partial_results import REDUCTIONS
from coordgym.baselines.silo.partial_results.forms import Reduction
from coordgym.baselines.silo.post import Letter, Post, as_json
from coordgym.contract.base import Info
from coordgym.errors import InstanceError
from coordgym.silo_env.compute import TASKS

CENTRE = 0
"""The agent that gathers partial results; all agents agree on it beforehand."""


class Brain:
    """What all brains share: the static facts of the first view.

    Args:
        agent: name of the agent. info: its info at reset. rng: unused; all brains are
            deterministic.
    """

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        view = info["view"]
        self.task = TASKS[view["task"]]
        self.extra: dict[str, Any] = view["extra"]
        self.segmented = self.task.is_segmented(self.extra)
        self.me: int = view["agent_id"]
        self.n_agents: int = view["n_agents"]
        self.shard: Any = view["shard"]
        self.alone = view["protocol"] == "oracle"
        self.post = Post(view)

    def act(self, observation: str, info: Info) -> str:
        """Answer one observation."""
        if self.alone:
            return self.post.turn(as_json(self._solve_alone()))
        return self._act(info)

    def give_up(self) -> str:
        """Pass on what is left to pass on, then submit no answer."""
        return self.post.turn("null")

    def _act(self, info: Info) -> str:
        raise NotImplementedError

    def _solve_alone(self) -> Any:
        """The oracle's answer: it holds all shards and joins the pieces of a segmented task."""
        answer = self.task.solve(self.shard, self.extra)
        return [item for piece in answer for item in piece] if self.segmented else answer

    def _answer_from(self, shards: list[Any]) -> Any:
        """This agent's answer from the shards by agent."""
        answer = self.task.solve(shards, self.extra)
        return answer[self.me] if self.segmented else answer


DAMAGE = (ArithmeticError, LookupError, TypeError, ValueError)
"""What data can raise that are not what an honest agent sends."""


class Careful:
    """A mind that gives up where what it was told can't be used.

    For episodes in which messages are damaged on their way or others than these minds write
    them; elsewhere such an error would be a mistake of the mind's own, and must be seen.
    """

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    def act(self, observation: str, info: Info) -> str:
        """Answer one observation."""
        try:
            return self._brain.act(observation, info)
        except DAMAGE:
            return self._brain.give_up()


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
        """The answer if what is missing by the last round did not matter; null if undefined."""
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


class Optimal(AllGather):
    """Boils its shard down and sends the result to one agent, which tells everybody the answer.

    Where messages reach everybody at once, or where not everybody can reach the centre, the
    partial results are gathered by all instead.
    """

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        view = info["view"]
        self._star = view["protocol"] in ("p2p", "shared_files") and view["neighbours"] is None
        self._verdict: str | None = None
        super().__init__(agent, info, rng)

    @property
    def _reduction(self) -> Reduction | None:
        # Looked up, not kept: a brain must be picklable, and reductions hold plain functions.
        return REDUCTIONS.get(self.task.id)

    def _own_part(self) -> Any:
        if self._reduction is None:
            return super()._own_part()
        return self._reduction.summarise(self.shard, self.extra)

    def _answer_from_parts(self) -> Any:
        return self._conclude(self._results()[self.me])

    def _results(self) -> Sequence[Any]:
        """What each agent must be told, by agent."""
        known = [self.parts[agent] for agent in sorted(self.parts)]
        if self._reduction is not None:
            results = self._reduction.finish(known, self.extra)
        else:
            shards = [self.task.whole_shard(part, self.shard) for part in known]
            results = self.task.solve(shards, self.extra)
        return results if self.segmented else [results] * self.n_agents

    def _conclude(self, result: Any) -> Any:
        """This agent's answer from what it was told."""
        if self._reduction is None:
            return result
        return self._reduction.conclude(result, self.shard, self.extra)

    def _best_guess(self) -> str:
        return "null" if self._reduction is not None else super()._best_guess()

    def _learn(self, letter: Letter) -> None:
        if not self._star:
            super()._learn(letter)
        elif letter.kind == "answer":
            self._verdict = as_json(self._conclude(letter.content))
        elif letter.kind == "share" and letter.about not in self.parts:
            self.parts[letter.about] = letter.content
            if self.me != CENTRE and letter.about == self.me:
                self.post.send(letter, [CENTRE])

    def _act(self, info: Info) -> str:
        if not self._star:
            return super()._act(info)
        for letter in self.post.collect(info["view"]):
            self._learn(letter)
        if self.me == CENTRE and self._verdict is None and len(self.parts) == self.n_agents:
            self._announce()
        return self.post.turn(self._verdict)

    def _announce(self) -> None:
        """Tell all others the result, or each its own."""
        results = self._results()
        if self.segmented:
            for agent in self.post.others:
                self.post.send(Letter("answer", agent, results[agent]), [agent])
        else:
            self.post.send(Letter("answer", self.me, results[self.me]))
        self._verdict = as_json(self._conclude(results[self.me]))
