"""III-22 Median: the upper median of all integers.

Shard: a list of integers. Extra: nothing, or ``total``, the number of all integers. Answer: the
integer at index floor(total / 2), counted from 0, of the sorted list. Defined as soon as one shard
holds an integer.
Source: Silo-Bench, level III (shuffle; there "Median of Medians").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import (
    Extra,
    require_items,
)
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask

_THINGS = "(?:numbers|integers|elements|values|items)"
_TOLD_TOTAL = re.compile(
    rf"\btotal(?: of)? (\d+) {_THINGS}\b"
    rf"|\btotal (?:number of {_THINGS}|{_THINGS}|size|count)\W{{1,3}}(?:is )?(\d+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MedianConfig(Integers):
    """25 integers per agent in [1, 1000]."""

    items: int = 25
    low: int = 1
    high: int = 1000


class Median(IntegerTask[int]):
    """The upper median."""

    id = "III-22"
    slug = "median"
    title = "Median"
    answer_type = INTEGER
    config = MedianConfig
    hint = (
        "This is a global reorganization: medians of single lists can't be combined into the "
        "median of all, but how many integers lie below a value can be counted on each list by "
        "itself."
    )
    above_prior = "The median of one's own values is near the global one, and values repeat."
    question = (
        "Every agent holds a list of integers. Find the median of all integers in all lists "
        "together: with n integers in ascending order, duplicates kept, it is the one at "
        "index n/2 rounded down, where the first has index 0. So if n is even it is the upper "
        "one of the two in the middle, and never a mean. Every agent must submit it."
    )
    form = "one integer, for example 17"
    question_in_brief = "upper median of all agents' integers: sorted[n // 2]; answer: int"

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers, at least one of them not empty; their number, if it is told."""
        super().check(shards, extra)
        require_items(shards)
        total = sum(map(len, shards))
        if extra.get("total", total) != total:
            raise InstanceError(f"extra['total'] is {extra['total']!r:.80}, but there are {total}")

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Return the middle of the sorted whole; the upper one of two."""
        ordered = sorted(chain.from_iterable(shards))
        return ordered[len(ordered) // 2]

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Read the number of all integers, where the description tells it."""
        told = _TOLD_TOTAL.search(description)
        return {} if told is None else {"total": int(told[1] or told[2])}
