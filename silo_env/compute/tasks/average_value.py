"""I-07 Average value: the mean of all numbers.

Shard: a list of numbers. Extra: ``decimals`` of the answer. Answer: one number, right within
0.01; within 1 % it earns partial credit. Defined as soon as one shard holds a number.
Source: Silo-Bench, level I (aggregation); inputs have two decimals instead of sixteen digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum
from typing import Any

import numpy as np

from coordgym.silo_env.compute.grading import Partial
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure
from coordgym.silo_env.compute.tasks.decimals import ANSWER_DECIMALS, Decimals, check_numbers


@dataclass(frozen=True, slots=True)
class AverageValueConfig(Decimals):
    """25 numbers per agent."""

    items: int = 25


class AverageValue(Task[list[float], float]):
    """The mean, to two decimals."""

    id = "I-07"
    slug = "average-value"
    title = "Average value"
    tolerance = 0.01
    partial = Partial.RELATIVE
    config = AverageValueConfig
    hint = (
        "This is an aggregation: means of lists can't be combined by themselves, but sums and "
        "counts can. Each list must enter exactly once."
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[float], float]:
        """Draw the numbers of all agents uniformly."""
        shards = configure(AverageValueConfig, params).draw(rng, n_agents)
        return self.instance(shards, {"decimals": ANSWER_DECIMALS})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Lists of numbers, at least one of them not empty."""
        check_numbers(shards, extra)

    def solve(self, shards: Sequence[list[float]], extra: Extra) -> float:
        """The mean over all numbers, correctly summed, rounded."""
        mean = fsum(chain.from_iterable(shards)) / sum(map(len, shards))
        return round(mean, extra["decimals"])

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """The decimals of the published answers."""
        return {"decimals": ANSWER_DECIMALS}

    def statement(self, extra: Extra) -> str:
        """The task in full sentences."""
        return (
            "Every agent holds a list of numbers. Compute the arithmetic mean of all numbers in "
            "all lists together, every number with equal weight, rounded to "
            f"{extra['decimals']} decimals. Every agent must submit the mean."
        )

    def answer_form(self, extra: Extra) -> str:
        """One number."""
        return f"one number with {extra['decimals']} decimals, for example 12.34"

    def brief(self, extra: Extra) -> str:
        """The task in few words."""
        return f"mean of all numbers of all agents, {extra['decimals']} decimals; answer: number"
