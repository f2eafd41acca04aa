"""II-17 Diff array: differences of neighbours in a list that lies in pieces.

Shard: a list of integers, the next piece of the whole list. Extra: nothing. Answer: each integer
of the whole list minus the one before it, in order; one integer or none gives an empty list.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import Extra
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask


@dataclass(frozen=True, slots=True)
class DiffArrayConfig(Integers):
    """15 integers per agent in [1, 100]."""

    items: int = 15
    low: int = 1
    high: int = 100


class DiffArray(IntegerTask[list[int]]):
    """Differences of neighbours over the whole list."""

    id = "II-17"
    slug = "diff-array"
    title = "Diff array"
    answer_type = ListOf(INTEGER)
    partial = Partial.POSITIONS
    config = DiffArrayConfig
    hint = (
        "This depends on what lies next to each piece: most differences lie within one list, but "
        "the one across each border needs an integer of either side. The answer covers the whole "
        "list."
    )
    question = (
        "A long list of integers is cut into pieces: joined in the order of the agents' ids, "
        "the agents' lists make up the whole. For each integer of the whole list but the "
        "first, compute this integer minus the one just before it, also across the borders "
        "between pieces. A list of n integers has n - 1 such differences. Every agent must "
        "submit all of them, in order."
    )
    form = "a list of integers, the differences in order, for example [31, -39, 61, …]"
    question_in_brief = (
        "lists joined by agent id; each integer of the whole minus the one before it, in "
        "order; answer: list of all differences"
    )

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[int]:
        """Return differences over the pieces joined."""
        return [b - a for a, b in pairwise(chain.from_iterable(shards))]
