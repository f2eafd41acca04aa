"""I-09 Top-K select: the K largest of all integers.

Shard: a list of integers. Extra: ``k``. Answer: a list of k integers, largest first; duplicates
are kept. Defined where there are at least k integers.
Source: Silo-Bench, level I (aggregation).
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import (
    Extra,
    require_parameter,
)
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask
from coordgym.silo_env.compute.tasks.items import MAX_ITEMS

PUBLISHED_K = 10


@dataclass(frozen=True, slots=True)
class TopKSelectConfig(Integers):
    """30 integers per agent in [1, 1000], of which the ``k`` largest are asked for."""

    items: int = 30
    low: int = 1
    high: int = 1000
    k: int = 10

    def __post_init__(self) -> None:
        super(TopKSelectConfig, self).__post_init__()
        require_int("k", self.k, 1, MAX_ITEMS)


class TopKSelect(IntegerTask[list[int]]):
    """The k largest integers."""

    id = "I-09"
    slug = "top-k-select"
    title = "Top-K select"
    answer_type = ListOf(INTEGER)
    config = TopKSelectConfig
    hint = (
        "This is an aggregation: an integer that is not among the largest of its own list is not "
        "among the largest of all. Think about how few integers must be exchanged."
    )
    question = (
        "Every agent holds a list of integers. Find the {k} largest integers of all "
        "lists together, in descending order. An integer that occurs several times, in one "
        "list or in many, is listed as often as it occurs. Every agent must submit this list."
    )
    form = "a list of {k} integers, the largest first, for example [9, 9, 4, …]"
    question_in_brief = "{k} largest integers overall, descending, duplicates kept; answer: list"

    def common(self, config: Any, n_agents: int) -> dict[str, Any]:
        """Tell how many integers are asked for.

        Raises:
            ConfigError: If there are fewer.
        """
        if config.k > config.items * n_agents:
            raise ConfigError(
                f"k must be at most items * n_agents = {config.items * n_agents}, got {config.k}"
            )
        return {"k": config.k}

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers, together at least k."""
        super().check(shards, extra)
        require_parameter(extra, "k", 1, sum(map(len, shards)), "number of integers")

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[int]:
        """Return the k largest of all shards, in descending order."""
        return heapq.nlargest(extra["k"], chain.from_iterable(shards))

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the ten that the published cases always ask for."""
        return {"k": PUBLISHED_K}
