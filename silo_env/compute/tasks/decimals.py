"""What the tasks over decimal numbers have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import NUMBER
from coordgym.silo_env.compute.task import (
    Extra,
    Instance,
    Task,
    configure,
    cut,
    require_items,
    require_parameter,
)
from coordgym.silo_env.compute.tasks.items import MAX_ITEMS

UPPER = 100
"""Numbers are drawn from [0, 100)."""
ANSWER_DECIMALS = 2
MAX_ANSWER_DECIMALS = 12
MAX_DECIMALS = 14
"""More decimals of numbers below 100 do not fit in a float."""


@dataclass(frozen=True, slots=True)
class Decimals:
    """``items`` numbers per agent in [0, 100), with ``decimals`` decimals each.

    Two decimals keep the task about coordination; 14 give all the digits of the published data.
    """

    items: int
    decimals: int = 2

    def __post_init__(self) -> None:
        require_int("items", self.items, 1, MAX_ITEMS)
        require_int("decimals", self.decimals, 0, MAX_DECIMALS)

    def draw(self, rng: np.random.Generator, n_agents: int) -> list[list[float]]:
        """Draw all numbers uniformly and cut them contiguously."""
        scale = 10**self.decimals
        numbers = rng.integers(UPPER * scale, size=self.items * n_agents).tolist()
        return cut([number / scale for number in numbers], n_agents)


class DecimalTask(Task[list[float], float]):
    """A task over lists of decimal numbers, answered by one; its ``config`` is of ``Decimals``."""

    config: ClassVar[type[Decimals]]
    answer_type = NUMBER
    tolerance = 0.01
    partial = Partial.RELATIVE
    holds = "{items} decimals in 0…100"
    form = "one number with {decimals} decimals, for example 12.34"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[float], float]:
        """Draw the numbers of all agents uniformly."""
        shards = configure(self.config, params).draw(rng, n_agents)
        return self.instance(shards, self.published_extra("", n_agents))

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of numbers, at least one of them not empty, and the answer's decimals."""
        for agent, shard in enumerate(shards):
            if not isinstance(shard, list) or any(type(x) not in (int, float) for x in shard):
                raise InstanceError(f"shards[{agent}] must be a list of numbers, got {shard!r:.80}")
        require_items(shards)
        require_decimals(extra)

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the decimals of the published answers."""
        del description, n_agents
        return {"decimals": ANSWER_DECIMALS}


def require_decimals(extra: Extra) -> None:
    """Check the number of decimals that an answer is rounded to.

    Raises:
        InstanceError: If it is not 0..12.
    """
    require_parameter(extra, "decimals", 0, MAX_ANSWER_DECIMALS)
