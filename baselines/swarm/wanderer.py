"""What plays a task that names no baseline: random actions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS


class Wanderer(SwarmBrain):
    """Acts at random, but walks onto free cells only; says nothing."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.actions: Sequence[str] = info["view"]["actions"]

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Draw an action that is no step into something."""
        able = [n for n in self.actions if n not in VECTORS or self.is_free(self.ahead(n))]
        return (able[int(self.rng.integers(len(able)))] if able else STAY), ""
