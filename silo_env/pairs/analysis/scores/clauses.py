"""What the intervention clauses give back of the tax.

delta = pair mean with a condition - pair mean without clauses; closed = 100 * delta / tax, taken
on category means per model and then averaged over models.
Source: The Collaboration Tax, section 5.5 and table 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coordgym.data.statistics import (
    RESAMPLES,
    Estimate,
    Floats,
    Scores,
    bootstrap_rng,
    known_mean,
    mean,
    percentile_interval,
    resampled_tasks,
)
from coordgym.silo_env.pairs.analysis.scores.results import (
    CATEGORIES,
    CATEGORY_OF,
    Figure,
    PairResult,
    in_one_setting,
    scores,
)
from coordgym.silo_env.pairs.options import PAIR, SOLO
from coordgym.silo_env.pairs.texts import CLAUSE_CHOICES

LEAST_TAX = 0.02
"""Models whose category has a smaller tax have no percentage: it would be a ratio of noise."""


@dataclass(frozen=True, slots=True)
class ClauseEffect:
    """What a condition changes in a category.

    Attributes:
        clauses: The condition.
        category: The category, or "all".
        delta: Rise of the pairs' mean score over all models.
        closed: Percent of the tax that is closed, over the models with enough tax.
        models: The models of ``delta``.
        without_tax: Those of them that ``closed`` leaves out.
    """

    clauses: str
    category: str
    delta: Estimate
    closed: Estimate
    models: tuple[str, ...]
    without_tax: tuple[str, ...]


def clause_effects(
    results: Iterable[PairResult], *, figure: Figure = "score"
) -> list[ClauseEffect]:
    """Return the effects of all conditions that were played, by condition and category.

    Raises:
        EpisodeError: The results are of several settings.
    """
    listed = in_one_setting(results)
    played = {result.clauses for result in listed if result.mode == PAIR}
    effects = []
    for clauses in CLAUSE_CHOICES:
        if clauses == "none" or clauses not in played:
            continue
        series = _series(listed, clauses, figure)
        for category in (*CATEGORIES, "all"):
            tasks = {t: each for t, each in series.items() if category in (CATEGORY_OF[t], "all")}
            if tasks:
                effects.append(_effect(clauses, category, tasks))
    return effects


_Triple = tuple[Scores, Scores, Scores]
"""Alone, as a pair without clauses, as a pair with them."""


def _series(
    results: Sequence[PairResult], clauses: str, figure: Figure
) -> dict[str, dict[str, _Triple]]:
    """Return by task and model the scores of homogeneous pairs where all three are there."""
    groups: dict[tuple[str, str, int], list[PairResult]] = {}
    for result in results:
        if len(set(result.models)) > 1:
            continue
        place = {(SOLO, "none"): 0, (PAIR, "none"): 1, (PAIR, clauses): 2}.get(
            (result.mode, result.clauses)
        )
        if place is not None:
            groups.setdefault((result.task, result.models[0], place), []).append(result)
    table: dict[str, dict[str, _Triple]] = {}
    for task, model, place in sorted(groups):
        if place == 0 and all((task, model, other) in groups for other in (1, 2)):
            alone, base, changed = (scores(groups[task, model, k], figure) for k in range(3))
            table.setdefault(task, {})[model] = (alone, base, changed)
    return table


def _effect(
    clauses: str, category: str, tasks: Mapping[str, Mapping[str, _Triple]]
) -> ClauseEffect:
    models = sorted({model for each in tasks.values() for model in each})
    nothing: _Triple = ({}, {}, {})
    series = [
        [scores for model in models for scores in each.get(model, nothing)]
        for each in tasks.values()
    ]
    true = np.array([[[mean(scores) for scores in each] for each in series]])
    resampled = resampled_tasks(series, RESAMPLES, bootstrap_rng())
    alone, base, _ = np.moveaxis(_model_means(true, len(models)), -1, 0)
    taxed = (alone - base)[0] >= LEAST_TAX
    delta, closed = _figures(true, taxed)
    drawn_delta, drawn_closed = _figures(resampled, taxed)
    return ClauseEffect(
        clauses=clauses,
        category=category,
        delta=percentile_interval(float(delta[0]), drawn_delta),
        closed=percentile_interval(float(closed[0]), drawn_closed),
        models=tuple(models),
        without_tax=tuple(m for m, has in zip(models, taxed, strict=True) if not has),
    )


def _model_means(means: Floats, models: int) -> Floats:
    """Return category means, resamples x models x 3, of means by resample, task and series."""
    return known_mean(means.reshape(*means.shape[:2], models, 3), axis=1)


def _figures(means: Floats, taxed: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return delta and percent closed of every resample."""
    alone, base, changed = np.moveaxis(_model_means(means, len(taxed)), -1, 0)
    delta = known_mean(changed - base, axis=1)
    if not taxed.any():
        return delta, np.full(len(delta), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        closed = 100 * (changed - base)[:, taxed] / (alone - base)[:, taxed]
    return delta, known_mean(np.where(np.isfinite(closed), closed, np.nan), axis=1)
