"""I-10 Standard deviation: the spread of all numbers.

Shard: a list of numbers. Extra: ``decimals`` of the answer and ``ddof``, always 0 (population).
Answer: one number, right within 0.01; within 1 % it earns partial credit. Defined as soon as one
shard holds a number.
Source: Silo-Bench, level I (aggregation); inputs have two decimals instead of sixteen digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum, sqrt
from typing import Any

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.task import Extra
from coordgym.silo_env.compute.tasks.decimals import Decimals, DecimalTask


@dataclass(frozen=True, slots=True)
class StandardDeviationConfig(Decimals):
    """30 numbers per agent."""

    items: int = 30


class StandardDeviation(DecimalTask):
    """The population standard deviation, to two decimals."""

    id = "I-10"
    slug = "standard-deviation"
    title = "Standard deviation"
    config = StandardDeviationConfig
    hint = (
        "This is an aggregation: deviations of lists can't be combined by themselves, but "
        "counts, sums and sums of squares can. Each list must enter exactly once."
    )
    question = (
        "Every agent holds a list of numbers. Compute the population standard deviation of "
        "all numbers in all lists together (the root of the mean squared deviation from the "
        "common mean, divided by the count and not the count minus one), rounded to "
        "{decimals} decimals. Every agent must submit it."
    )
    question_in_brief = (
        "population standard deviation (divide by n) of all numbers of all agents, "
        "{decimals} decimals; answer: number"
    )

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of numbers, at least one of them not empty; the population's deviation."""
        super().check(shards, extra)
        if extra.get("ddof") != 0:
            raise InstanceError(f"extra['ddof'] must be 0, got {extra.get('ddof')!r:.100}")

    def solve(self, shards: Sequence[list[float]], extra: Extra) -> float:
        """Compute it in two passes: the difference of large squares would lose all digits."""
        numbers = list(chain.from_iterable(shards))
        mean = fsum(numbers) / len(numbers)
        variance = fsum((number - mean) ** 2 for number in numbers) / len(numbers)
        return round(sqrt(variance), extra["decimals"])

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the decimals of the published answers; population deviation."""
        return {**super().published_extra(description, n_agents), "ddof": 0}
