"""II-12 Moving average: means of a sliding window over a list that lies in pieces.

Shard: a list of integers, the next piece of the whole list. Extra: ``window`` (odd) and
``decimals`` of the answer. Answer: the means of all full windows of the whole list, in order, each
right within 0.01; a list shorter than the window has none.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import NUMBER, ListOf
from coordgym.silo_env.compute.task import Extra
from coordgym.silo_env.compute.tasks.decimals import ANSWER_DECIMALS, require_decimals
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask
from coordgym.silo_env.compute.tasks.items import MAX_ITEMS

PUBLISHED_WINDOW = 3


@dataclass(frozen=True, slots=True)
class MovingAverageConfig(Integers):
    """15 integers per agent in [1, 100], and an odd ``window``."""

    items: int = 15
    low: int = 1
    high: int = 100
    window: int = PUBLISHED_WINDOW

    def __post_init__(self) -> None:
        super(MovingAverageConfig, self).__post_init__()
        require_int("window", self.window, 1, MAX_ITEMS)
        if self.window % 2 == 0:
            raise ConfigError(f"window must be odd, so that it has a centre, got {self.window}")


class MovingAverage(IntegerTask[list[float]]):
    """Means of all full windows."""

    id = "II-12"
    slug = "moving-average"
    title = "Moving average"
    answer_type = ListOf(NUMBER)
    tolerance = 0.01
    partial = Partial.POSITIONS
    config = MovingAverageConfig
    hint = (
        "This depends on what lies next to each piece: most windows lie within one list, but "
        "those across a border between two lists need integers of both. The answer covers the "
        "whole list."
    )
    form = "a list of numbers, the means in order, for example [12.34, 5.6, …]"
    question_in_brief = (
        "lists joined by agent id; means of all runs of {window} neighbours of the "
        "whole, {decimals} decimals, in order; answer: list of all means"
    )

    def common(self, config: Any, n_agents: int) -> dict[str, Any]:
        """Tell the length of the window, and the decimals of the answer."""
        del n_agents
        return {"window": config.window, "decimals": ANSWER_DECIMALS}

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers, an odd window, 0 to 12 decimals."""
        super().check(shards, extra)
        window = extra.get("window")
        if type(window) is not int or window < 1 or window % 2 == 0:
            raise InstanceError(f"extra['window'] must be an odd integer, got {window!r:.80}")
        require_decimals(extra)

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[float]:
        """Take differences of running totals, a window apart."""
        window = extra["window"]
        totals = list(accumulate(chain.from_iterable(shards), initial=0))
        sums = (b - a for a, b in zip(totals, totals[window:], strict=False))
        return [round(total / window, extra["decimals"]) for total in sums]

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the window and the decimals of the published cases."""
        return {"window": PUBLISHED_WINDOW, "decimals": ANSWER_DECIMALS}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        window, decimals = extra["window"], extra["decimals"]
        return (
            "A long list of integers is cut into pieces: joined in the order of the agents' ids, "
            f"the agents' lists make up the whole. Take every run of {window} consecutive "
            "integers of the whole list, also across the borders between pieces, in order from "
            f"the first to the last, and compute its mean, rounded to {decimals} decimals. A list "
            f"of n integers has n - {window - 1} such means. Every agent must submit all of them."
        )
