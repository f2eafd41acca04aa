"""What the tasks over uniformly drawn integers have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.compute.task import (
    Answer,
    Extra,
    Instance,
    Task,
    configure,
    cut,
    require_integers,
)
from coordgym.silo_env.compute.tasks.items import Items


@dataclass(frozen=True, slots=True)
class Integers(Items):
    """Uniform integers: ``items`` per agent (at least 1), each in ``[low, high]``."""

    low: int
    high: int

    def __post_init__(self) -> None:
        super(Integers, self).__post_init__()
        require_int("low", self.low, -(2**53), 2**53)
        require_int("high", self.high, -(2**53), 2**53)
        if self.low > self.high:
            raise ConfigError(f"low must not exceed high, got low={self.low}, high={self.high}")

    def draw(self, rng: np.random.Generator, n_agents: int) -> list[list[int]]:
        """Draw ``items`` integers per agent and cut them contiguously."""
        total = self.items * n_agents
        values: list[int] = rng.integers(self.low, self.high, total, endpoint=True).tolist()
        return cut(values, n_agents)


class IntegerTask(Task[list[int], Answer]):
    """A task over lists of uniform integers; its ``config`` is one of ``Integers``."""

    config: ClassVar[type[Integers]]
    holds = "{items} integers in {low}…{high}"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[int], Answer]:
        """Draw the integers of all agents uniformly, so that they are dealt at random."""
        config = configure(self.config, params)
        return self.instance(config.draw(rng, n_agents), self.common(config, n_agents))

    def common(self, config: Any, n_agents: int) -> dict[str, Any]:
        """Return the parameters that all agents are told; none, unless a task has some."""
        del config, n_agents
        return {}

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check that all shards are lists of integers."""
        require_integers(shards)
