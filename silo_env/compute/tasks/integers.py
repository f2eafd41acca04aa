"""What the tasks over uniformly drawn integers have in common."""

from dataclasses import dataclass

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.compute.task import cut

MAX_ITEMS = 10_000
"""Largest number of items per agent."""


@dataclass(frozen=True, slots=True)
class Integers:
    """Uniform integers: ``items`` per agent (at least 1), each in ``[low, high]``."""

    items: int
    low: int
    high: int

    def __post_init__(self) -> None:
        require_int("items", self.items, 1, MAX_ITEMS)
        require_int("low", self.low, -(2**53), 2**53)
        require_int("high", self.high, -(2**53), 2**53)
        if self.low > self.high:
            raise ConfigError(f"low must not exceed high, got low={self.low}, high={self.high}")

    def draw(self, rng: np.random.Generator, n_agents: int) -> list[list[int]]:
        """Draw ``items`` integers per agent and cut them contiguously."""
        total = self.items * n_agents
        values: list[int] = rng.integers(self.low, self.high, total, endpoint=True).tolist()
        return cut(values, n_agents)
