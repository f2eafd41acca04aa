"""II-19 Merge neighbors: a sorted list that lies in pieces, without its repetitions.

Shard: a list of integers, the next piece of the whole list. Extra: nothing. Answer: the whole list
with each run of equal neighbours reduced to one, also across pieces.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

import numpy as np

from coordgym.errors import ConfigError
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_integers
from coordgym.silo_env.compute.tasks.items import Items

RANGE_PER_AGENT = 6
"""Integers are drawn from 1 to this times N, so that many repeat."""


@dataclass(frozen=True, slots=True)
class MergeNeighborsConfig(Items):
    """``items`` integers per agent, at least 1."""

    items: int = 15


class MergeNeighbors(Task[list[int], list[int]]):
    """The whole list without equal neighbours."""

    id = "II-19"
    slug = "merge-neighbors"
    title = "Merge neighbors"
    answer_type = ListOf(INTEGER)
    partial = Partial.POSITIONS
    config = MergeNeighborsConfig
    hint = (
        "This depends on what lies next to each piece: repetitions within a list can be dropped "
        "by its holder, but a run of equal integers may go on across one or several borders. The "
        "answer covers the whole list."
    )
    holds = "{items} integers, sorted overall"
    question = (
        "A long list of integers is cut into pieces: joined in the order of the agents' ids, "
        "the agents' lists make up the whole. Wherever equal integers stand directly one "
        "after the other in the whole list, also across the borders between pieces, keep only "
        "one of them. Every agent must submit the whole list that is left, in order."
    )
    form = "a list of integers, for example [3, 8, 11, …]"
    question_in_brief = (
        "lists joined by agent id; drop consecutive duplicates of the whole, also across "
        "pieces; answer: whole list that is left"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[int], list[int]]:
        """Draw integers, sort all of them, and cut."""
        total = configure(MergeNeighborsConfig, params).items * n_agents
        values = rng.integers(1, RANGE_PER_AGENT * n_agents, size=total, endpoint=True)
        return self.instance(cut(np.sort(values).tolist(), n_agents), {})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers."""
        require_integers(shards)

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[int]:
        """Keep one integer for each run of equal ones in the pieces joined."""
        return [value for value, _ in groupby(chain.from_iterable(shards))]

    def require_copyable(self, overlap: int) -> None:
        """Allow one copied integer: it equals its original; more would break the order.

        Raises:
            ConfigError: If ``overlap`` exceeds 1.
        """
        if overlap > 1:
            raise ConfigError(
                f"overlap must be 0 or 1 for {self.id} ({self.slug}): more copied items would "
                f"change its answer; got {overlap}"
            )
