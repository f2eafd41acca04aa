"""The brains of single agents; each sees only its own view and knows the task's solution rule."""

from typing import Any

import numpy as np

from coordgym.baselines.silo.post import Post, as_json
from coordgym.contract.base import Info
from coordgym.silo_env.compute import TASKS


class Brain:
    """What all brains share: the static facts of the first view.

    Args:
        agent: Name of the agent.
        info: Its info at reset.
        rng: Unused; all brains are deterministic.
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
        """Return the oracle's answer: it holds all shards and joins the pieces of an answer."""
        answer = self.task.solve(self.shard, self.extra)
        return [item for piece in answer for item in piece] if self.segmented else answer

    def _answer_from(self, shards: list[Any]) -> Any:
        """Return this agent's answer from the shards by agent."""
        answer = self.task.solve(shards, self.extra)
        return answer[self.me] if self.segmented else answer


DAMAGE = (ArithmeticError, LookupError, TypeError, ValueError)
"""What data can raise that are not what an honest agent sends."""


class Careful:
    """A brain that gives up where what it was told can't be used.

    For episodes in which messages are damaged on their way or others than these brains write
    them; elsewhere such an error would be a mistake of the brain's own, and must be seen.
    """

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    def act(self, observation: str, info: Info) -> str:
        """Answer one observation."""
        try:
            return self._brain.act(observation, info)
        except DAMAGE:
            return self._brain.give_up()
