"""Means and differences with 95 % intervals, for every table of figures in this package.

Differences have intervals by Student's t, everything else by a percentile bootstrap with a fixed
seed. Whole seeds are resampled: what was played on one seed shares an instance. Figures over
several tasks resample tasks, then the seeds of each drawn task.

Source: The Collaboration Tax, tables 1 and 2 give half-widths without a method; the choices
here are paired t intervals over seeds, Welch's where the seeds differ, and percentile bootstraps.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 10_000
BOOTSTRAP_SEED = 0
_CHUNK = 1_000_000
"""Most drawn numbers in memory at a time."""

Floats: TypeAlias = NDArray[np.float64]
Scores: TypeAlias = Mapping[int, float]
"""A figure by seed."""


class Estimate(NamedTuple):
    """A figure and the ends of its 95 % interval; NaN where it can't be told."""

    value: float
    low: float = math.nan
    high: float = math.nan


class SampleMean(NamedTuple):
    """A mean over episodes.

    Attributes:
        n: Number of episodes that have the figure.
        mean: Their mean; NaN if ``n`` is 0.
        std: Sample standard deviation; NaN below two episodes.
        low: Lower end of the 95 % interval; NaN below two seeds.
        high: Upper end.
    """

    n: int = 0
    mean: float = math.nan
    std: float = math.nan
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


def sample_mean(values: Sequence[float], seeds: Sequence[int]) -> SampleMean:
    """Return mean, spread and bootstrap interval of ``values``.

    Args:
        values: One per episode; NaN = the episode has no such figure.
        seeds: The seed of each episode.
    """
    return sample_means({"": values}, seeds)[""]


def sample_means(
    columns: Mapping[str, Sequence[float]], seeds: Sequence[int]
) -> dict[str, SampleMean]:
    """Return the means of several figures of the same episodes, by the same resamples.

    Args:
        columns: For each figure one value per episode; NaN = the episode has no such figure.
        seeds: The seed of each episode.
    """
    data = np.array(list(columns.values()), dtype=float).reshape(len(columns), len(seeds)).T
    has = ~np.isnan(data)
    lows, highs = _ends_by_figure(np.where(has, data, 0.0), has.astype(float), seeds)
    means = {}
    for i, name in enumerate(columns):
        known = data[has[:, i], i]
        means[name] = SampleMean(
            n=len(known),
            mean=float(known.mean()) if len(known) else math.nan,
            std=float(known.std(ddof=1)) if len(known) > 1 else math.nan,
            low=float(lows[i]),
            high=float(highs[i]),
        )
    return means


def _ends_by_figure(data: Floats, has: Floats, seeds: Sequence[int]) -> Floats:
    """Resample whole seeds; the mean of a resample is its sum over its count.

    Args:
        data: Episodes × figures, 0 where an episode lacks the figure.
        has: Likewise, 1 where it has it and 0 where not.
        seeds: The seed of each episode.

    Returns:
        Lower and upper ends by figure; NaN where fewer than two seeds have it.
    """
    _, group = np.unique(np.asarray(seeds), return_inverse=True)
    n_seeds = int(group.max()) + 1 if len(group) else 0
    sums, counts = np.zeros((2, n_seeds, data.shape[1]))
    np.add.at(sums, group, data)
    np.add.at(counts, group, has)
    rng = bootstrap_rng()
    rows = max(1, _CHUNK // max(1, n_seeds))
    means = []
    for start in range(0, RESAMPLES if n_seeds > 1 else 0, rows):
        drawn = _times_drawn(rng, min(rows, RESAMPLES - start), n_seeds)
        with np.errstate(invalid="ignore"):  # a resample may miss all that have a rare figure
            means.append((drawn @ sums) / (drawn @ counts))
    enough = (counts > 0).sum(axis=0) > 1
    ends = np.full((2, data.shape[1]), math.nan)
    if enough.any():
        ends[:, enough] = _ends(np.concatenate(means)[:, enough])
    return ends


def _times_drawn(rng: np.random.Generator, rows: int, n: int) -> Floats:
    """Count how often each of ``n`` seeds is drawn when ``n`` are, in each of the resamples."""
    picks = rng.integers(n, size=(rows, n), dtype=np.int32)
    cells = picks + np.arange(rows)[:, None] * n
    return np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def _ends(resampled: Floats) -> Floats:
    """Return the percentiles along the first axis; undefined resamples are left out."""
    tail = (1 - CONFIDENCE) / 2
    ends: Floats = np.nanquantile(resampled, [tail, 1 - tail], axis=0)
    return ends


def mean(scores: Scores) -> float:
    """Return the mean over seeds; NaN without any."""
    return float(np.mean(list(scores.values()))) if scores else math.nan


def difference(first: Scores, second: Scores) -> Difference:
    """Return the difference of two means: paired if both have the same seeds, else Welch's."""
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
    """Return the generator of every bootstrap, always in the same state."""
    return np.random.default_rng(BOOTSTRAP_SEED)


def percentile_interval(value: float, resampled: Floats) -> Estimate:
    """Return a figure with the percentiles of its resamples; undefined resamples are left out."""
    if np.count_nonzero(~np.isnan(resampled)) < 2 or math.isnan(value):
        return Estimate(value)
    low, high = _ends(resampled)
    return Estimate(value, float(low), float(high))


def resampled_means(series: Sequence[Scores], count: int, rng: np.random.Generator) -> Floats:
    """Return the means of series of scores whose seeds are drawn anew.

    Series with the same seeds are drawn together, as they share instances.

    Args:
        series: Scores by seed; an empty one has the mean NaN.
        count: Resamples.
        rng: Source of the draws.

    Returns:
        Means, resamples × series.
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
    """Return the means of series where tasks are drawn anew, then the seeds of each drawn task.

    Args:
        tasks: For each task the same number of series.
        count: Resamples.
        rng: Source of the draws.

    Returns:
        Means, resamples × as many drawn tasks as there are × series.
    """
    drawn = rng.integers(len(tasks), size=(count, len(tasks)))
    means = np.empty((count, len(tasks), len(tasks[0])))
    for index, series in enumerate(tasks):
        where = drawn == index
        means[where] = resampled_means(series, int(where.sum()), rng)
    return means


def known_mean(values: Floats, axis: int) -> Floats:
    """Return the mean along an axis of what is not NaN; NaN where nothing is known."""
    known = ~np.isnan(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means
