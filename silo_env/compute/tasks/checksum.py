"""I-06 Checksum: the exclusive or of all integers.

Shard: a list of integers. Extra: nothing. Answer: one integer; a number within 1 % of it earns
partial credit. The checksum of nothing is 0.
Source: Silo-Bench, level I (aggregation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask


@dataclass(frozen=True, slots=True)
class ChecksumConfig(Integers):
    """20 integers per agent in [0, 255]."""

    items: int = 20
    low: int = 0
    high: int = 255


class Checksum(IntegerTask[int]):
    """The bitwise exclusive or of all integers."""

    id = "I-06"
    slug = "checksum"
    title = "Checksum"
    answer_type = INTEGER
    partial = Partial.RELATIVE
    config = ChecksumConfig
    hint = (
        "This is an aggregation: exclusive or can be taken in any order and grouping, so each "
        "list has a checksum of its own. Each must enter the total exactly once."
    )
    question = (
        "Every agent holds a list of integers. Compute the bitwise exclusive or (XOR) of all "
        "integers in all lists together. Every agent must submit the result."
    )
    form = "one integer in decimal notation, for example 17"
    question_in_brief = "bitwise XOR of all integers of all agents; answer: int"

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> int:
        """Return the exclusive or over all shards."""
        return reduce(xor, (item for shard in shards for item in shard), 0)
