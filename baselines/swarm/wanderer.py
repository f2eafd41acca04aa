"""What plays a task that names no baseline: random actions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.baselines.swarm.brain import STAY, STEPS, SwarmBrain
from coordgym.contract.base import Info


class Wanderer(SwarmBrain):
    """Acts at random, but walks onto free cells only; says nothing."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.actions: Sequence[str] = info["view"]["actions"]

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Draw an action that is no step into something."""
        here = self.here
        ahead = {name: (here[0] + i, here[1] + j) for name, (i, j) in STEPS.items()}
        able = [name for name in self.actions if name not in ahead or self.is_free(ahead[name])]
        return (able[int(self.rng.integers(len(able)))] if able else STAY), ""
