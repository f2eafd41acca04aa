"""Estimates with 95 % intervals: differences by Student's t, everything else by bootstrap.

Source: The Collaboration Tax, tables 1 and 2 give half-widths without a method; the choices
here are paired t intervals over seeds, Welch's where the seeds differ, and percentile bootstraps
with a fixed seed. Category figures resample tasks, then the seeds of each drawn task.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coordgym.silo_env.pairs.analysis.scores.results import Scores

CONFIDENCE = 0.95
RESAMPLES = 10_000
BOOTSTRAP_SEED = 0

Floats: TypeAlias = NDArray[np.float64]


class Estimate(NamedTuple):
    """A figure and the ends of its 95 % interval; NaN where it can't be told."""

    value: float
    low: float = math.nan
    high: float = math.nan


class Difference(NamedTuple):
    """A difference of means.

    Attributes:
        estimate: First mean minus second.
        paired: Whether it was taken seed by seed.
    """

    estimate: Estimate
    paired: bool


def mean(scores: Scores) -> float:
    """The mean over seeds; NaN without any."""
    return float(np.mean(list(scores.values()))) if scores else math.nan


def difference(first: Scores, second: Scores) -> Difference:
    """The difference of two means: paired by seed if both have the same seeds, else Welch's."""
    value = mean(first) - mean(second)
    if first.keys() == second.keys():
        seeds = sorted(first)
        gaps = np.array([first[seed] - second[seed] for seed in seeds])
        if len(gaps) < 2:
            return Difference(Estimate(value), paired=True)
        error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
        return Difference(_around(value, error, len(gaps) - 1), paired=True)
    samples = [np.array(list(scores.values())) for scores in (first, second)]
    if any(len(sample) < 2 for sample in samples):
        return Difference(Estimate(value), paired=False)
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in samples]
    if sum(parts) == 0:
        return Difference(Estimate(value, value, value), paired=False)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True)
    )
    return Difference(_around(value, math.sqrt(sum(parts)), freedom), paired=False)


def _around(value: float, error: float, freedom: float) -> Estimate:
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    return Estimate(value, value - half, value + half)


def bootstrap_rng() -> np.random.Generator:
    """The generator of every bootstrap, always in the same state."""
    return np.random.default_rng(BOOTSTRAP_SEED)


def percentile_interval(value: float, resampled: Floats) -> Estimate:
    """An estimate with the percentiles of its resamples; undefined resamples are left out."""
    known = resampled[~np.isnan(resampled)]
    if len(known) < 2 or math.isnan(value):
        return Estimate(value)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def resampled_means(series: Sequence[Scores], count: int, rng: np.random.Generator) -> Floats:
    """Means of series of scores whose seeds are drawn anew.

    Series with the same seeds are drawn together, as they share instances.

    Args:
        series: Scores by seed; an empty one has the mean NaN.
        count: Resamples.
        rng: Source of the draws.

    Returns:
        Means, resamples x series.
    """
    means = np.full((count, len(series)), np.nan)
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, scores in enumerate(series):
        if scores:
            groups.setdefault(tuple(sorted(scores)), []).append(index)
    for seeds, members in groups.items():
        drawn = rng.multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), size=count)
        data = np.array([[series[index][seed] for index in members] for seed in seeds])
        means[:, members] = drawn @ data / len(seeds)
    return means


def resampled_tasks(
    tasks: Sequence[Sequence[Scores]], count: int, rng: np.random.Generator
) -> Floats:
    """Means of series where tasks are drawn anew, then the seeds of each drawn task.

    Args:
        tasks: For each task the same number of series.
        count: Resamples.
        rng: Source of the draws.

    Returns:
        Means, resamples x as many drawn tasks as there are x series.
    """
    drawn = rng.integers(len(tasks), size=(count, len(tasks)))
    means = np.empty((count, len(tasks), len(tasks[0])))
    for index, series in enumerate(tasks):
        where = drawn == index
        means[where] = resampled_means(series, int(where.sum()), rng)
    return means


def known_mean(values: Floats, axis: int) -> Floats:
    """The mean along an axis of what is not NaN; NaN where nothing is known."""
    known = ~np.isnan(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means
