"""II-11 Prefix sum: running totals over a list that lies in pieces.

Shard: a list of integers, the next piece of the whole list. Extra: nothing. Answer (segmented):
for each own position the sum of the whole list up to it, itself included. An empty piece has an
empty answer.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import (
    Extra,
    cut_like,
)
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask


@dataclass(frozen=True, slots=True)
class PrefixSumConfig(Integers):
    """15 integers per agent in [1, 50]."""

    items: int = 15
    low: int = 1
    high: int = 50


class PrefixSum(IntegerTask[list[int]]):
    """Inclusive prefix sums of the own piece."""

    id = "II-11"
    slug = "prefix-sum"
    title = "Prefix sum"
    segmented = True
    answer_type = ListOf(INTEGER)
    partial = Partial.POSITIONS
    config = PrefixSumConfig
    hint = (
        "This depends on what comes before: your running totals can be computed from your own "
        "list but for one number, the total of everything in front of it."
    )
    above_prior = "The first agent needs nothing from the others: 1 of N."
    question = (
        "A long list of integers is cut into pieces: joined in the order of the agents' ids, "
        "the agents' lists make up the whole. The prefix sum at a position is the sum of all "
        "integers of the whole list up to this position, itself included. Each agent must "
        "submit the prefix sums at the positions of its own piece, and no others."
    )
    form = "a list of integers, as long as your own list, for example [105, 110, 118, …]"
    question_in_brief = (
        "lists joined by agent id; inclusive prefix sums of the whole at your own positions; "
        "answer: list of int, as long as yours"
    )

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[list[int]]:
        """Return running totals of the whole, cut like the shards."""
        return cut_like(list(accumulate(chain.from_iterable(shards))), shards)

    def sufficient(
        self, agent: int, shards: Sequence[list[int]], extra: Extra
    ) -> tuple[frozenset[int], ...]:
        """Return the own piece and all before it."""
        return (frozenset(range(agent + 1)),)

    def minimum_messages(self, n_agents: int) -> int:
        """Count all agents but the first: they must hear of what comes before."""
        return n_agents - 1
