"""II-16 Trapping rain: water that stays between walls of a skyline that lies in pieces.

Shard: a list of heights, the next piece of the skyline. Extra: nothing. Over each column water
stands up to the lower of the highest walls left and right of it. Answer: the units of water of the
whole skyline, all or nothing.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_integers
from coordgym.silo_env.compute.tasks.items import Items

HIGHEST = 10
VALLEY_EVERY = 5
HIGHEST_VALLEY = 3
"""Every fifth column of the whole skyline is drawn anew, up to this height."""


@dataclass(frozen=True, slots=True)
class TrappingRainConfig(Items):
    """``items`` heights per agent, at least 1."""

    items: int = 10


class TrappingRain(Task[list[int], int]):
    """Units of water that a skyline holds."""

    id = "II-16"
    slug = "trapping-rain"
    title = "Trapping rain"
    answer_type = INTEGER
    config = TrappingRainConfig
    hint = (
        "This depends on both sides of each piece: how high water stands in a piece is decided by "
        "the highest walls anywhere to the left and anywhere to the right of a column, which "
        "others may hold."
    )
    holds = "{items} heights"
    question = (
        "A skyline of columns, each one unit wide, is cut into pieces: joined in the order of "
        "the agents' ids, the agents' lists of heights make up the whole. Rain fills it. Over "
        "a column water stands as high as the lower of two walls: the highest column at or "
        "left of it and the highest column at or right of it, anywhere in the whole skyline; "
        "the column itself takes its own height of that. Nothing is held beyond both ends. "
        "Every agent must submit how many units of water the whole skyline holds."
    )
    form = "one integer, for example 69"
    question_in_brief = (
        "heights joined by agent id; water held: sum over columns of min(highest at or left, "
        "highest at or right) - height; answer: int"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[int], int]:
        """Draw heights, every fifth of them low."""
        total = configure(TrappingRainConfig, params).items * n_agents
        heights = rng.integers(HIGHEST, size=total, endpoint=True)
        valleys = heights[::VALLEY_EVERY]
        valleys[:] = rng.integers(HIGHEST_VALLEY, size=len(valleys), endpoint=True)
        return self.instance(cut(heights.tolist(), n_agents), {})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of heights, none below 0."""
        require_integers(shards)
        for agent, shard in enumerate(shards):
            if any(height < 0 for height in shard):
                raise InstanceError(f"shards[{agent}] needs heights of 0 or more: {shard!r:.80}")

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Add level minus height, where the level is the lower of two running maxima."""
        heights = list(chain.from_iterable(shards))
        from_left = list(accumulate(heights, max))
        from_right = list(accumulate(reversed(heights), max))[::-1]
        return sum(map(min, from_left, from_right)) - sum(heights)
