"""The collaboration tax: what a pair with split views loses against one agent that sees all.

For a task and a model, tax = solo mean - pair mean and ratio = tax / solo mean. For a mixed
pair, solo is that of the better of its two models. A category's value for a model is the mean of
its tasks' ratios, not the ratio of means.
Source: The Collaboration Tax, equation 1, section 5.2, figures 3 and 6.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coordgym.data.statistics import (
    RESAMPLES,
    Estimate,
    Floats,
    Scores,
    bootstrap_rng,
    difference,
    known_mean,
    mean,
    percentile_interval,
    resampled_means,
    resampled_tasks,
)
from coordgym.silo_env.pairs.analysis.scores.results import (
    CATEGORIES,
    CATEGORY_OF,
    Figure,
    PairResult,
    in_one_setting,
    scores,
    select,
)
from coordgym.silo_env.pairs.options import ONE_VIEW_MODES, PAIR, SOLO

EXPLORATORY = frozenset({"numberlink", "crossword"})
"""Tasks on which the paper's agents scored below 0.55 alone (appendix H)."""


@dataclass(frozen=True, slots=True)
class TaxCell:
    """One task played by one pair.

    Attributes:
        task: Name of the task.
        category: Its category.
        models: The models of ``agent_0`` and ``agent_1``; equal in a homogeneous pair.
        solo: Mean of each of the two models alone, with all facts.
        pair: Mean of the pair.
        seeds: Seeds of the pair.
        paired: Whether solo and pair played the same seeds.
        tax: The better solo mean minus the pair's, with the t interval.
        ratio: Tax over the better solo mean, with the bootstrap interval; NaN if that mean is 0.
    """

    task: str
    category: str
    models: tuple[str, str]
    solo: tuple[float, float]
    pair: float
    seeds: int
    paired: bool
    tax: Estimate
    ratio: Estimate

    @property
    def homogeneous(self) -> bool:
        """Whether the model plays with itself."""
        return self.models[0] == self.models[1]


@dataclass(frozen=True, slots=True)
class CategoryTax:
    """The mean ratio of a homogeneous pair over the tasks of a category.

    Attributes:
        model: Who plays with itself.
        category: The category, or "all".
        tasks: The tasks with a ratio.
        ratio: Mean of their ratios; intervals draw tasks, then seeds.
        without_exploratory: The same without EXPLORATORY.
        tax: Mean of their taxes.
    """

    model: str
    category: str
    tasks: tuple[str, ...]
    ratio: Estimate
    without_exploratory: Estimate
    tax: Estimate


class _Series(NamedTuple):
    """The scores of one cell."""

    solo: tuple[Scores, Scores]
    pair: Scores


def ratio(solo: float, pair: float) -> float:
    """Return the share of the solo score that is lost; NaN if there is none to lose."""
    return (solo - pair) / solo if solo > 0 else math.nan


def tax_cells(
    results: Iterable[PairResult], *, clauses: str = "none", figure: Figure = "score"
) -> list[TaxCell]:
    """Return the tax of every task and pair of models that have both solo and pair results.

    Args:
        results: Of one setting.
        clauses: Which intervention the pairs had.
        figure: "score" or "exact".

    Raises:
        EpisodeError: The results are of several settings.
    """
    table = _series(in_one_setting(results), clauses, figure)
    return [_cell(task, models, series) for (task, models), series in table.items()]


def _series(
    results: Sequence[PairResult], clauses: str, figure: Figure
) -> dict[tuple[str, tuple[str, str]], _Series]:
    """Return the scores of every cell, by task in the order of the table, then by models."""
    groups: dict[tuple[str, tuple[str, str]], list[PairResult]] = {}
    alone: dict[tuple[str, str], list[PairResult]] = {}
    for result in select(results, mode=PAIR, clauses=clauses):
        groups.setdefault((result.task, (result.models[0], result.models[1])), []).append(result)
    for result in select(results, mode=SOLO):
        alone.setdefault((result.task, result.models[0]), []).append(result)
    order = list(CATEGORY_OF)
    table = {}
    for (task, models), group in sorted(
        groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
    ):
        if all((task, model) in alone for model in models):
            first, second = (scores(alone[task, model], figure) for model in models)
            table[task, models] = _Series((first, second), scores(group, figure))
    return table


def _cell(task: str, models: tuple[str, str], series: _Series) -> TaxCell:
    solo = (mean(series.solo[0]), mean(series.solo[1]))
    better = series.solo[int(solo[1] > solo[0])]
    gap = difference(better, series.pair)
    pair = mean(series.pair)
    resampled = resampled_means([*series.solo, series.pair], RESAMPLES, bootstrap_rng())
    return TaxCell(
        task=task,
        category=CATEGORY_OF[task],
        models=models,
        solo=solo,
        pair=pair,
        seeds=len(series.pair),
        paired=gap.paired,
        tax=gap.estimate,
        ratio=percentile_interval(ratio(max(solo), pair), _ratios(resampled)),
    )


def _ratios(means: Floats) -> Floats:
    """Return ratios of (..., 3) means: both models alone, and the pair."""
    solo = means[..., :2].max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(solo > 0, (solo - means[..., 2]) / solo, np.nan)


def category_taxes(
    results: Iterable[PairResult], *, clauses: str = "none", figure: Figure = "score"
) -> list[CategoryTax]:
    """Return the mean ratios of every homogeneous pair by category and over all tasks.

    Raises:
        EpisodeError: The results are of several settings.
    """
    table = _series(in_one_setting(results), clauses, figure)
    models = dict.fromkeys(first for _, (first, second) in table if first == second)
    found = []
    for model in models:
        own = {task: each for (task, pair), each in table.items() if pair == (model, model)}
        for category in (*CATEGORIES, "all"):
            tasks = {t: each for t, each in own.items() if category in (CATEGORY_OF[t], "all")}
            if tasks:
                found.append(_category(model, category, tasks))
    return found


def _category(model: str, category: str, tasks: Mapping[str, _Series]) -> CategoryTax:
    core = {task: each for task, each in tasks.items() if task not in EXPLORATORY}
    return CategoryTax(
        model=model,
        category=category,
        tasks=tuple(task for task, each in tasks.items() if mean(each.solo[0]) > 0),
        ratio=_mean_ratio(list(tasks.values())),
        without_exploratory=_mean_ratio(list(core.values())),
        tax=_mean_tax(list(tasks.values())),
    )


def _mean_ratio(tasks: Sequence[_Series]) -> Estimate:
    known = [each for each in tasks if mean(each.solo[0]) > 0]
    if not known:
        return Estimate(math.nan)
    value = float(np.mean([ratio(mean(each.solo[0]), mean(each.pair)) for each in known]))
    series = [[*each.solo, each.pair] for each in known]
    resampled = _ratios(resampled_tasks(series, RESAMPLES, bootstrap_rng()))
    # A resample of a nearly unsolvable task may have no solo score, and then no ratio.
    return percentile_interval(value, known_mean(resampled, axis=1))


def _mean_tax(tasks: Sequence[_Series]) -> Estimate:
    value = float(np.mean([mean(each.solo[0]) - mean(each.pair) for each in tasks]))
    series = [[each.solo[0], each.pair] for each in tasks]
    resampled = resampled_tasks(series, RESAMPLES, bootstrap_rng())
    return percentile_interval(value, (resampled[..., 0] - resampled[..., 1]).mean(axis=1))


def measured_floors(
    results: Iterable[PairResult], figure: Figure = "score"
) -> dict[tuple[str, str], float]:
    """Return what each task pays each model with one view: the mean of the better of the two views.

    Of the models that played the one-view modes, by task and model.
    """
    floors: dict[tuple[str, str], float] = {}
    listed = in_one_setting(results)
    for mode in ONE_VIEW_MODES:
        groups: dict[tuple[str, str], list[PairResult]] = {}
        for result in select(listed, mode=mode):
            groups.setdefault((result.task, result.models[0]), []).append(result)
        for key, group in groups.items():
            floors[key] = max(mean(scores(group, figure)), floors.get(key, -math.inf))
    return floors


def floor_of(floors: Mapping[tuple[str, str], float], cell: TaxCell) -> float:
    """Return the floor of a pair: that of the member with the better one; NaN if one is unknown."""
    return float(np.max([floors.get((cell.task, model), math.nan) for model in cell.models]))


def above_floor(score: float, floor: float) -> float:
    """Return a mean score on the scale from the one-view floor (0) to the optimum (1)."""
    return (score - floor) / (1 - floor) if floor < 1 else math.nan
