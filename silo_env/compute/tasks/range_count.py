"""I-05 Range count: how many of all integers lie in a range.

Shard: a list of integers. Extra: ``low`` and ``high``, both inclusive. Answer: one integer; a
number within 1 % of it earns partial credit. Duplicates count each time.
Source: Silo-Bench, level I (aggregation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask

RANGE_LOW, RANGE_HIGH = 100, 500


@dataclass(frozen=True, slots=True)
class RangeCountConfig(Integers):
    """30 integers per agent in [0, 1000]."""

    items: int = 30
    low: int = 0
    high: int = 1000


class RangeCount(IntegerTask[int]):
    """The number of integers in [100, 500]."""

    id = "I-05"
    slug = "range-count"
    title = "Range count"
    answer_type = INTEGER
    partial = Partial.RELATIVE
    config = RangeCountConfig
    hint = (
        "This is an aggregation: counting can be done on each list by itself, and counts add up. "
        "Think about how all counts come together once each, and how everybody learns the total."
    )
    question = (
        "Every agent holds a list of integers. Count how many integers in all lists together "
        "lie between {low} and {high}, both included; equal integers count "
        "each time. Every agent must submit the total."
    )
    form = "one integer, for example 17"
    question_in_brief = "count integers x with {low} <= x <= {high} overall; answer: int"

    def common(self, config: Any, n_agents: int) -> dict[str, Any]:
        """Tell the bounds of the range."""
        del config, n_agents
        return {"low": RANGE_LOW, "high": RANGE_HIGH}

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers and two bounds."""
        super().check(shards, extra)
        if any(type(extra.get(name)) not in (int, float) for name in ("low", "high")):
            raise InstanceError(f"extra must give the numbers low and high, got {extra!r:.80}")

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Add up the counts."""
        low, high = extra["low"], extra["high"]
        return sum(low <= item <= high for shard in shards for item in shard)

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the range of the published cases."""
        return {"low": RANGE_LOW, "high": RANGE_HIGH}
