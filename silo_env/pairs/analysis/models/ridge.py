"""A ridge regression of the tax on the shape of conversations, judged on held-out tasks.

Inputs: the standardised panel of ``features``, a dummy for each model but the first and for each
category but spatial. Needs scikit-learn, the extra ``analysis``.
Source: The Collaboration Tax, section 5.4, figures 4 and 7 (R2 0.475, Spearman 0.760).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from coordgym.data.tables import Table, Value
from coordgym.errors import EpisodeError, MissingExtraError, require_choice
from coordgym.silo_env.pairs.analysis.failures.cascade import STAGES
from coordgym.silo_env.pairs.analysis.models.features import FEATURES, CellShape
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORIES, Figure

ALPHA = 1.0
FOLDS = 5
HoldOut = Literal["tasks", "task", "model"]
HOLD_OUTS: tuple[HoldOut, ...] = ("tasks", "task", "model")
_Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class RidgeFit:
    """How well held-out cells were predicted, and what the fit on all cells weighs.

    Attributes:
        held_out: "tasks" (five folds of tasks), "task" or "model" (each in turn).
        stages: Whether the rates of the four stages were inputs too.
        r2: Share of the variance that predictions for held-out cells explain.
        spearman: Their rank correlation with the truth.
        pearson: Their linear correlation with the truth.
        slope: Of the least-squares line of prediction on truth.
        intercept: Of that line.
        predicted: The prediction for each cell while it was held out.
        coefficients: Weight of each input in the fit on all cells.
    """

    held_out: HoldOut
    stages: bool
    r2: float
    spearman: float
    pearson: float
    slope: float
    intercept: float
    predicted: tuple[float, ...]
    coefficients: dict[str, float]


def fit_ridge(
    cells: Sequence[CellShape], *, held_out: HoldOut = "tasks", stages: bool = False
) -> RidgeFit:
    """Predict the ratio of each cell from the others.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        EpisodeError: There are fewer than two tasks (or models) to hold out.
        ConfigError: ``held_out`` is unknown.
    """
    require_choice("held_out", held_out, HOLD_OUTS)
    try:
        from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, cross_val_predict
    except ImportError as error:
        raise missing_extra("the regression") from error

    groups = [cell.model if held_out == "model" else cell.task for cell in cells]
    count = len(set(groups))
    if count < 2:
        raise EpisodeError(f"holding out needs two {held_out.rstrip('s')}s or more, got {count}")
    names, inputs = design(cells, stages=stages)
    truth = np.array([cell.ratio for cell in cells])
    folds = GroupKFold(min(FOLDS, count)) if held_out == "tasks" else LeaveOneGroupOut()
    panel = len(FEATURES) + (len(STAGES) if stages else 0)
    predicted = cross_val_predict(_pipeline(panel), inputs, truth, groups=groups, cv=folds)
    fitted = _pipeline(panel).fit(inputs, truth)
    weights = fitted.named_steps["ridge"].coef_
    return RidgeFit(
        held_out=held_out,
        stages=stages,
        predicted=tuple(float(value) for value in predicted),
        coefficients={name: float(w) for name, w in zip(names, weights, strict=True)},
        **_agreement(truth, np.asarray(predicted, dtype=float)),
    )


def design(cells: Sequence[CellShape], *, stages: bool) -> tuple[list[str], _Floats]:
    """Return names and values of the inputs, cells x inputs: the panel first, then the dummies."""
    models = sorted({cell.model for cell in cells})[1:]
    panel = [*FEATURES, *(STAGES if stages else ())]
    names = [*panel, *(f"model {model}" for model in models), *CATEGORIES[1:]]
    rows = []
    for cell in cells:
        values = {**cell.features, **cell.stages}
        rows.append(
            [values[name] for name in panel]
            + [float(cell.model == model) for model in models]
            + [float(cell.category == category) for category in CATEGORIES[1:]]
        )
    return names, np.array(rows, dtype=float)


def _pipeline(panel: int) -> Any:
    """Standardise the first inputs, as the training cells are spread, then fit the ridge."""
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    scale = ColumnTransformer(
        [("panel", StandardScaler(), list(range(panel)))], remainder="passthrough"
    )
    return Pipeline([("scale", scale), ("ridge", Ridge(alpha=ALPHA))])


def _agreement(truth: _Floats, predicted: _Floats) -> dict[str, float]:
    from scipy.stats import pearsonr, spearmanr

    spread = float(((truth - truth.mean()) ** 2).sum())
    if spread == 0 or len(truth) < 3:
        return dict.fromkeys(("r2", "spearman", "pearson", "slope", "intercept"), math.nan)
    slope, intercept = np.polyfit(truth, predicted, 1)
    constant = bool(np.all(predicted == predicted[0]))
    return {
        "r2": 1 - float(((truth - predicted) ** 2).sum()) / spread,
        "spearman": math.nan if constant else float(spearmanr(truth, predicted).statistic),
        "pearson": math.nan if constant else float(pearsonr(truth, predicted).statistic),
        "slope": float(slope),
        "intercept": float(intercept),
    }


def missing_extra(what: str) -> MissingExtraError:
    """Return the error for an analysis that needs scikit-learn."""
    return MissingExtraError(f"{what} needs scikit-learn: pip install 'coordgym[analysis]'")


def ridge_tables(cells: Sequence[CellShape], figure: Figure = "score") -> list[Table]:
    """Return how well conversations tell the tax, and the largest weights.

    Args:
        cells: Conversations and ratios.
        figure: What the ratios are about.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        EpisodeError: There are fewer than two tasks.
    """
    several = len({cell.model for cell in cells}) > 1
    ways = [way for way in HOLD_OUTS if way != "model" or several]
    fits = [fit_ridge(cells, held_out=way, stages=also) for way in ways for also in (False, True)]
    rows: list[tuple[Value, ...]] = [
        (
            {"tasks": "folds of tasks", "task": "each task", "model": "each model"}[fit.held_out],
            "yes" if fit.stages else "no",
            fit.r2,
            fit.spearman,
            fit.pearson,
            fit.slope,
            fit.intercept,
        )
        for fit in fits
    ]
    weights = sorted(fits[0].coefficients.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [
        Table(
            name="tax-ridge",
            title="Ratios predicted from the shape of conversations "
            f"({figure}, {len(cells)} cells)",
            columns=("held out", "stages", "R2", "Spearman", "Pearson", "slope", "intercept"),
            rows=tuple(rows),
        ),
        Table(
            name="tax-ridge-weights",
            title=f"Weights of the regression without stages ({figure})",
            columns=("input", "weight"),
            rows=tuple(weights),
        ),
    ]
