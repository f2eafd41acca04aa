"""Partial results of the aggregation tasks (level I)."""

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import chain
from math import fsum, sqrt
from operator import xor
from typing import Any

from coordgym.baselines.silo.partial_results.forms import Extra, Reduction
from coordgym.silo_env.compute import TASKS


def _of_own(task: str) -> Callable[[Any, Extra], Any]:
    """Answer the task for the own shard alone."""
    return lambda shard, extra: TASKS[task].solve([shard], extra)


def _own_maximum(shard: Sequence[int], extra: Extra) -> int | None:
    return max(shard, default=None)


def _largest(maxima: Sequence[int | None], extra: Extra) -> int:
    return max(maximum for maximum in maxima if maximum is not None)


def _total(counts: Sequence[int], extra: Extra) -> int:
    return sum(counts)


def _count_votes(shard: Sequence[str], extra: Extra) -> list[int]:
    counts = Counter(shard)
    return [counts[candidate] for candidate in extra["candidates"]]


def _winner(counts: Sequence[Sequence[int]], extra: Extra) -> str:
    totals = [sum(column) for column in zip(*counts, strict=True)]
    name: str = extra["candidates"][totals.index(max(totals))]
    return name


def _sum_and_count(shard: Sequence[float], extra: Extra) -> list[float]:
    return [fsum(shard), len(shard)]


def _mean(sums: Sequence[Sequence[float]], extra: Extra) -> float:
    mean = fsum(part[0] for part in sums) / sum(part[1] for part in sums)
    return round(mean, extra["decimals"])


def _moments(shard: Sequence[float], extra: Extra) -> list[float]:
    """Return count, mean and sum of squared deviations from it."""
    if not shard:
        return [0, 0.0, 0.0]
    mean = fsum(shard) / len(shard)
    return [len(shard), mean, fsum((number - mean) ** 2 for number in shard)]


def _deviation(moments: Sequence[Sequence[float]], extra: Extra) -> float:
    """Add deviations around each list's own mean and those of these means."""
    total = sum(count for count, _, _ in moments)
    common = fsum(count * mean for count, mean, _ in moments) / total
    squares = fsum(inner + n * (mean - common) ** 2 for n, mean, inner in moments)
    return round(sqrt(squares / total), extra["decimals"])


def _distinct(shard: Sequence[int], extra: Extra) -> list[int]:
    return sorted(set(shard))


def _union_size(lists: Sequence[Sequence[int]], extra: Extra) -> int:
    return len(set(chain.from_iterable(lists)))


def _largest_of(shard: Sequence[int], extra: Extra) -> list[int]:
    return heapq.nlargest(extra["k"], shard)


def _largest_of_all(lists: Sequence[Sequence[int]], extra: Extra) -> list[int]:
    return heapq.nlargest(extra["k"], chain.from_iterable(lists))


AGGREGATION: Mapping[str, Reduction] = {
    "I-01": Reduction(_own_maximum, _largest),
    "I-02": Reduction(_of_own("I-02"), _total),
    "I-03": Reduction(_count_votes, _winner),
    "I-04": Reduction(_of_own("I-04"), lambda found, extra: any(found)),
    "I-05": Reduction(_of_own("I-05"), _total),
    "I-06": Reduction(_of_own("I-06"), lambda sums, extra: reduce(xor, sums, 0)),
    "I-07": Reduction(_sum_and_count, _mean),
    "I-08": Reduction(_distinct, _union_size),
    "I-09": Reduction(_largest_of, _largest_of_all),
    "I-10": Reduction(_moments, _deviation),
}
"""By the paper's ids."""
