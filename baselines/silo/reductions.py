"""How a shard is boiled down to what the whole needs of it, for tasks that allow it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Reduction(NamedTuple):
    """Partial results of a task.

    Attributes:
        summarise: from a shard and the common parameters to JSON-able data.
        finish: from the summaries, by agent, and the parameters to the answer.
    """

    summarise: Callable[[Any, Mapping[str, Any]], Any]
    finish: Callable[[Sequence[Any], Mapping[str, Any]], Any]


def _own_maximum(shard: Sequence[int], extra: Mapping[str, Any]) -> int | None:
    return max(shard, default=None)


def _largest(maxima: Sequence[int | None], extra: Mapping[str, Any]) -> int:
    return max(maximum for maximum in maxima if maximum is not None)


REDUCTIONS: Mapping[str, Reduction] = {"I-01": Reduction(_own_maximum, _largest)}
"""By the paper's ids; where a task has none, the private parts of the shards travel."""
