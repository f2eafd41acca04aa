"""I-07 Average value: the mean of all numbers.

Shard: a list of numbers. Extra: ``decimals`` of the answer. Answer: one number, right within
0.01; within 1 % it earns partial credit. Defined as soon as one shard holds a number.
Source: Silo-Bench, level I (aggregation); inputs have two decimals instead of sixteen digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum

from coordgym.silo_env.compute.task import Extra
from coordgym.silo_env.compute.tasks.decimals import Decimals, DecimalTask


@dataclass(frozen=True, slots=True)
class AverageValueConfig(Decimals):
    """25 numbers per agent."""

    items: int = 25


class AverageValue(DecimalTask):
    """The mean, to two decimals."""

    id = "I-07"
    slug = "average-value"
    title = "Average value"
    config = AverageValueConfig
    hint = (
        "This is an aggregation: means of lists can't be combined by themselves, but sums and "
        "counts can. Each list must enter exactly once."
    )
    question = (
        "Every agent holds a list of numbers. Compute the arithmetic mean of all numbers in "
        "all lists together, every number with equal weight, rounded to "
        "{decimals} decimals. Every agent must submit the mean."
    )
    question_in_brief = "mean of all numbers of all agents, {decimals} decimals; answer: number"

    def solve(self, shards: Sequence[list[float]], extra: Extra) -> float:
        """Return the mean over all numbers, correctly summed, rounded."""
        mean = fsum(chain.from_iterable(shards)) / sum(map(len, shards))
        return round(mean, extra["decimals"])
