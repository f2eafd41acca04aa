"""I-08 Set union size: how many different integers the agents hold.

Shard: a list of integers. Extra: nothing. Answer: one integer; a number within 1 % of it earns
partial credit.
Source: Silo-Bench, level I (aggregation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_integers
from coordgym.silo_env.compute.tasks.items import MAX_ITEMS


@dataclass(frozen=True, slots=True)
class SetUnionSizeConfig:
    """``items`` integers per agent in [0, ``values_per_agent`` · N)."""

    items: int = 30
    values_per_agent: int = 15

    def __post_init__(self) -> None:
        require_int("items", self.items, 1, MAX_ITEMS)
        require_int("values_per_agent", self.values_per_agent, 1, MAX_ITEMS)

    def draw(self, rng: np.random.Generator, n_agents: int) -> list[int]:
        """Draw all integers, in their global order."""
        drawn: list[int] = rng.integers(
            self.values_per_agent * n_agents, size=self.items * n_agents
        ).tolist()
        return drawn


class SetUnionSize(Task[list[int], int]):
    """The number of distinct integers."""

    id = "I-08"
    slug = "set-union-size"
    title = "Set union size"
    answer_type = INTEGER
    partial = Partial.RELATIVE
    copyable = True
    config = SetUnionSizeConfig
    hint = (
        "This is an aggregation, but counts do not add up: the same integer may be in several "
        "lists. Think about what must be exchanged so that it is counted once."
    )
    holds = "{items} integers below {values_per_agent} N"
    question = (
        "Every agent holds a list of integers. Count how many different integers occur in "
        "all lists together; an integer that occurs several times, in one list or in many, "
        "counts once. Every agent must submit the number."
    )
    form = "one integer, for example 17"
    question_in_brief = "number of distinct integers over all agents' lists; answer: int"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[int], int]:
        """Draw integers from a range in which many meet."""
        return self.instance(
            cut(configure(SetUnionSizeConfig, params).draw(rng, n_agents), n_agents), {}
        )

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers."""
        require_integers(shards)

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Return the size of the union."""
        return len({item for shard in shards for item in shard})
