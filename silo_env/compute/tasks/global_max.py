"""I-01 Global maximum: the largest of all integers that the agents hold.

Shard: a list of integers. Extra: nothing. Answer: one integer; a number within 1 % of it earns
partial credit. Defined as soon as one shard holds an item.
Source: Silo-Bench, level I (aggregation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import (
    Extra,
    require_items,
)
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask


@dataclass(frozen=True, slots=True)
class GlobalMaxConfig(Integers):
    """20 integers per agent in [-1000, 1000]."""

    items: int = 20
    low: int = -1000
    high: int = 1000


class GlobalMax(IntegerTask[int]):
    """The largest integer of all shards."""

    id = "I-01"
    slug = "global-max"
    title = "Global maximum"
    answer_type = INTEGER
    partial = Partial.RELATIVE
    copyable = True
    config = GlobalMaxConfig
    hint = (
        "This is an aggregation: each list can be boiled down to one number before anything is "
        "exchanged. Think about who needs to see which numbers, and how everybody learns the "
        "final one."
    )
    above_prior = "The agent that holds the maximum is right without knowing it: 1 of N."
    question = (
        "Every agent holds a list of integers. Find the largest integer that occurs in any "
        "of the lists. Every agent must submit this number."
    )
    form = "one integer, for example 17"
    question_in_brief = "largest integer over all agents' lists; answer: int"

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers, at least one of them not empty."""
        super().check(shards, extra)
        require_items(shards)

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Return the maximum over all shards that hold anything."""
        return max(max(shard) for shard in shards if shard)
