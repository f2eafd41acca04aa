"""The brain that sends the fewest messages: partial results go to one agent, the answer back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from coordgym.baselines.silo.all_gather import AllGather
from coordgym.baselines.silo.brain import Brain
from coordgym.baselines.silo.chain import Chain, Exchange
from coordgym.baselines.silo.partial_results import REDUCTIONS
from coordgym.baselines.silo.partial_results.forms import Reduction
from coordgym.baselines.silo.partial_results.mesh import SCANS
from coordgym.baselines.silo.post import Letter, as_json
from coordgym.contract.base import Info

CENTRE = 0
"""The agent that gathers partial results; all agents agree on it beforehand."""


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
        """Return what each agent must be told, by agent."""
        known = [self.parts[agent] for agent in sorted(self.parts)]
        if self._reduction is not None:
            results = self._reduction.finish(known, self.extra)
        else:
            shards = [self.task.whole_shard(part, self.shard) for part in known]
            results = self.task.solve(shards, self.extra)
        return results if self.segmented else [results] * self.n_agents

    def _conclude(self, result: Any) -> Any:
        """Return this agent's answer from what it was told."""
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


def best_brain(agent: str, info: Info, rng: np.random.Generator) -> Brain:
    """Make the brain that needs the fewest messages for the task and the protocol at hand."""
    view = info["view"]
    addressed = view["protocol"] in ("p2p", "shared_files") and view["neighbours"] is None
    if addressed and view["task"] in SCANS and Chain.fits(info):
        return Chain(agent, info, rng)
    if addressed and view["task"] == "II-14":
        return Exchange(agent, info, rng)
    return Optimal(agent, info, rng)
