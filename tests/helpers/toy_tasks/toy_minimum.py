"""A computation task for tests: the smallest of all integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, require_items
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask


@dataclass(frozen=True, slots=True)
class ToyMinimumConfig(Integers):
    """Four integers per agent in [0, 9999]."""

    items: int = 4
    low: int = 0
    high: int = 9999


class ToyMinimum(IntegerTask[int]):
    """The smallest integer of all shards."""

    id = "IV-31"
    slug = "toy-minimum"
    title = "Toy minimum"
    answer_type = INTEGER
    partial = Partial.RELATIVE
    copyable = True
    config = ToyMinimumConfig
    hint = "One number of each list is enough."
    above_prior = "The agent that holds the minimum is right without knowing it."

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Require integers, at least one."""
        super().check(shards, extra)
        require_items(shards)

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Return the minimum over all shards that hold anything."""
        return min(min(shard) for shard in shards if shard)

    def statement(self, extra: Extra) -> str:
        """Tell the task in full sentences."""
        return "Every agent holds a list of integers. Every agent must submit the smallest of all."

    def answer_form(self, extra: Extra) -> str:
        """Tell how the answer is written."""
        return "one integer, for example 17"

    def brief(self, extra: Extra) -> str:
        """Tell the task in few words."""
        return "smallest integer over all agents' lists; answer: int"
