"""The pair as a cooperative game, and mixed pairs against the midpoint of their models.

v1 and v2 are what the models are worth alone, v12 what the pair is worth, nobody nothing.
Source: The Collaboration Tax, section 6, table 2, figure 5, appendices A.4 and A.5.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coordgym.data.statistics import (
    RESAMPLES,
    Estimate,
    Floats,
    bootstrap_rng,
    percentile_interval,
)
from coordgym.silo_env.pairs.analysis.scores.tax import TaxCell


class Shapley(NamedTuple):
    """How a pair's worth is shared between its members; the shares add up to it."""

    first: float
    second: float


def shapley(v1: float, v2: float, v12: float) -> Shapley:
    """Return the Shapley value of a game of two: phi_i = (v_i + v12 - v_j) / 2."""
    return Shapley((v1 + v12 - v2) / 2, (v2 + v12 - v1) / 2)


def violates_max_superadditivity(v1: float, v2: float, v12: float) -> bool:
    """Tell whether the pair is worth less than its better member alone: whether there is a tax."""
    return v12 < max(v1, v2)


def is_subadditive(v1: float, v2: float, v12: float) -> bool:
    """Tell whether the pair is worth less than both alone, each share then less than its member."""
    return v12 < v1 + v2


@dataclass(frozen=True, slots=True)
class PairGame:
    """The game of an ordered pair of models, averaged over tasks.

    Attributes:
        models: The models of ``agent_0`` and ``agent_1``.
        tasks: Number of tasks.
        v1: Mean of the first alone.
        v2: Mean of the second alone.
        v12: Mean of the pair.
        shares: Their Shapley values.
        violated: Share of tasks that violate max-superadditivity.
        subadditive: Share of tasks on which the game is subadditive.
    """

    models: tuple[str, str]
    tasks: int
    v1: float
    v2: float
    v12: float
    shares: Shapley
    violated: float
    subadditive: float


def pair_games(cells: Iterable[TaxCell]) -> list[PairGame]:
    """Return the game of every ordered pair of models, homogeneous ones included."""
    groups: dict[tuple[str, str], list[TaxCell]] = {}
    for cell in cells:
        groups.setdefault(cell.models, []).append(cell)
    return [_game(models, group) for models, group in groups.items()]


def _game(models: tuple[str, str], cells: Sequence[TaxCell]) -> PairGame:
    values = [(*cell.solo, cell.pair) for cell in cells]
    v1, v2, v12 = (float(value) for value in np.mean(values, axis=0))
    return PairGame(
        models=models,
        tasks=len(cells),
        v1=v1,
        v2=v2,
        v12=v12,
        shares=shapley(v1, v2, v12),
        violated=float(np.mean([violates_max_superadditivity(*each) for each in values])),
        subadditive=float(np.mean([is_subadditive(*each) for each in values])),
    )


class NullPoint(NamedTuple):
    """One mixed pair on one task.

    Attributes:
        task: Name of the task.
        midpoint: Mean of the ratios of the two homogeneous pairs.
        ratio: The mixed pair's ratio.
    """

    task: str
    midpoint: float
    ratio: float


@dataclass(frozen=True, slots=True)
class AdditiveNull:
    """How the ratios of mixed pairs depart from the midpoint of their models' own.

    Attributes:
        points: Number of (pair, task) points.
        gap: Mean of ratio minus midpoint; the interval draws tasks.
        slope: Of the least-squares line of ratio on midpoint; NaN without spread.
        intercept: Of that line.
        correlation: Pearson's r.
        below: Share of points below the midpoint.
    """

    points: int
    gap: Estimate
    slope: float
    intercept: float
    correlation: float
    below: float


def null_points(cells: Iterable[TaxCell]) -> list[NullPoint]:
    """Return the points of all mixed pairs whose models also played with themselves."""
    listed = list(cells)
    own = {(cell.task, cell.models[0]): cell.ratio.value for cell in listed if cell.homogeneous}
    points = []
    for cell in listed:
        if cell.homogeneous:
            continue
        pair = [own.get((cell.task, model), math.nan) for model in cell.models]
        point = NullPoint(cell.task, sum(pair) / 2, cell.ratio.value)
        if not math.isnan(point.midpoint) and not math.isnan(point.ratio):
            points.append(point)
    return points


def additive_null(points: Sequence[NullPoint]) -> AdditiveNull | None:
    """Compare mixed pairs with the midpoints; None without points."""
    if not points:
        return None
    x = np.array([point.midpoint for point in points])
    y = np.array([point.ratio for point in points])
    slope = intercept = correlation = math.nan
    if len(points) > 1 and x.std() > 0:
        slope, intercept = (float(value) for value in np.polyfit(x, y, 1))
        correlation = float(np.corrcoef(x, y)[0, 1]) if y.std() > 0 else math.nan
    return AdditiveNull(
        points=len(points),
        gap=percentile_interval(float(np.mean(y - x)), _gaps_of_drawn_tasks(points)),
        slope=slope,
        intercept=intercept,
        correlation=correlation,
        below=float(np.mean(y < x)),
    )


def _gaps_of_drawn_tasks(points: Sequence[NullPoint]) -> Floats:
    """Return the mean gap of resamples in which tasks are drawn anew with all their points."""
    tasks = sorted({point.task for point in points})
    sums, counts = np.zeros(len(tasks)), np.zeros(len(tasks))
    for point in points:
        sums[tasks.index(point.task)] += point.ratio - point.midpoint
        counts[tasks.index(point.task)] += 1
    if len(tasks) < 2:
        return np.empty(0)
    share = np.full(len(tasks), 1 / len(tasks))
    drawn = bootstrap_rng().multinomial(len(tasks), share, size=RESAMPLES)
    gaps: Floats = (drawn @ sums) / (drawn @ counts)
    return gaps
