"""The tables of the tax: by model, by category, by task, mixed pairs, intervention clauses.

Source: The Collaboration Tax, figures 3, 5, 6 and 9, tables 1 and 2.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from coordgym.data.statistics import RESAMPLES
from coordgym.data.tables import Table, Value
from coordgym.silo_env.pairs.analysis.scores.clauses import clause_effects
from coordgym.silo_env.pairs.analysis.scores.games import additive_null, null_points, pair_games
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORIES, Figure, PairResult
from coordgym.silo_env.pairs.analysis.scores.tax import (
    TaxCell,
    above_floor,
    category_taxes,
    floor_of,
    measured_floors,
    tax_cells,
)

T = TypeVar("T")

INTERVALS = (
    f"Intervals: 95 %; a task's tax by paired t over seeds, the rest by bootstrap ({RESAMPLES:,} "
    "resamples; means over tasks draw tasks, then seeds)."
)


def tax_tables(results: Iterable[PairResult], figure: Figure = "score") -> list[Table]:
    """Make all tables that the results suffice for, one set for each setting."""
    return by_setting(results, lambda result: result.setting, lambda group: _tables(group, figure))


def by_setting(
    items: Iterable[T], setting_of: Callable[[T], str], make: Callable[[list[T]], list[Table]]
) -> list[Table]:
    """Make tables for each setting of the environments, numbered if there are several."""
    by_setting: dict[str, list[T]] = {}
    for item in items:
        by_setting.setdefault(setting_of(item), []).append(item)
    tables = []
    for number, (setting, group) in enumerate(sorted(by_setting.items()), 1):
        mark = "" if len(by_setting) == 1 else f", setting {number}: {setting}"
        suffix = "" if len(by_setting) == 1 else f"-{number}"
        tables += [
            replace(table, name=table.name + suffix, title=table.title + mark)
            for table in make(group)
        ]
    return tables


def _tables(results: Sequence[PairResult], figure: Figure) -> list[Table]:
    cells = tax_cells(results, figure=figure)
    alike = [cell for cell in cells if cell.homogeneous]
    mixed = [cell for cell in cells if not cell.homogeneous]
    tables = [
        _model_table(results, alike, figure),
        _task_table(results, alike, figure),
        _game_table(cells),
    ]
    if mixed:
        tables += [_mixed_table(results, mixed, figure), _null_table(cells)]
    tables.append(_clause_table(results, figure))
    return [table for table in tables if table.rows]


def _model_table(results: Sequence[PairResult], cells: Sequence[TaxCell], figure: Figure) -> Table:
    ratios = {(each.model, each.category): each for each in category_taxes(results, figure=figure)}
    rows: list[tuple[Value, ...]] = []
    for model in dict.fromkeys(cell.models[0] for cell in cells):
        own = [cell for cell in cells if cell.models[0] == model]
        total = ratios[model, "all"]
        by_category = [ratios.get((model, category)) for category in CATEGORIES]
        rows.append(
            (
                model,
                len(own),
                float(np.mean([cell.solo[0] for cell in own])),
                float(np.mean([cell.pair for cell in own])),
                total.tax,
                *(None if each is None else each.ratio for each in by_category),
                total.ratio,
                total.without_exploratory,
            )
        )
    return Table(
        name="tax-models",
        title=f"Tax by model and category ({figure})",
        columns=(
            "model", "tasks", "solo", "pair", "tax",
            *(f"ratio {category}" for category in CATEGORIES), "ratio all", "without exploratory",
        ),
        rows=tuple(rows),
        note=f"Category values are means of the tasks' ratios. {INTERVALS}",
    )  # fmt: skip


def _task_table(results: Sequence[PairResult], cells: Sequence[TaxCell], figure: Figure) -> Table:
    floors = measured_floors(results, figure)
    rows: list[tuple[Value, ...]] = [
        (
            cell.task,
            cell.category,
            cell.models[0],
            cell.seeds,
            cell.solo[0],
            cell.pair,
            cell.tax,
            cell.ratio,
            above_floor(cell.pair, floor_of(floors, cell)),
        )
        for cell in cells
    ]
    unpaired = sum(not cell.paired for cell in cells)
    note = INTERVALS + " Pair above floor: 0 is what the model scored with the better view alone."
    if unpaired:
        note += f" {unpaired} cells have other seeds alone than in pairs: Welch's interval."
    return Table(
        name="tax-tasks",
        title=f"Tax by task ({figure})",
        columns=(
            "task", "category", "model", "seeds", "solo", "pair", "tax", "ratio",
            "pair above floor",
        ),
        rows=tuple(rows),
        note=note,
    )  # fmt: skip


def _game_table(cells: Sequence[TaxCell]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            " × ".join(game.models),
            game.tasks,
            game.v1,
            game.v2,
            game.v12,
            game.shares.first,
            game.shares.second,
            game.violated,
        )
        for game in pair_games(cells)
    ]
    return Table(
        name="tax-games",
        title="Pairs as cooperative games",
        columns=("pair", "tasks", "v(1)", "v(2)", "v(1,2)", "phi 1", "phi 2", "tasks violated"),
        rows=tuple(rows),
        note="Violated: the pair is worth less than its better member alone.",
    )


def _mixed_table(results: Sequence[PairResult], cells: Sequence[TaxCell], figure: Figure) -> Table:
    floors = measured_floors(results, figure)
    rows: list[tuple[Value, ...]] = [
        (
            cell.task,
            " × ".join(cell.models),
            cell.seeds,
            *cell.solo,
            cell.pair,
            cell.tax,
            cell.ratio,
            above_floor(cell.pair, floor_of(floors, cell)),
        )
        for cell in cells
    ]
    return Table(
        name="tax-mixed",
        title="Tax of mixed pairs by task",
        columns=(
            "task", "pair", "seeds", "solo 1", "solo 2", "pair score", "tax", "ratio",
            "pair above floor",
        ),
        rows=tuple(rows),
        note="Held against the better of the two models alone, with all facts and (floor) with "
        "one view; first the model of agent_0.",
    )  # fmt: skip


def _null_table(cells: Sequence[TaxCell]) -> Table:
    found = additive_null(null_points(cells))
    rows: tuple[tuple[Value, ...], ...] = ()
    if found is not None:
        rows = (
            (
                found.points,
                found.gap,
                found.slope,
                found.intercept,
                found.correlation,
                found.below,
            ),
        )
    return Table(
        name="tax-additive-null",
        title="Ratios of mixed pairs against the midpoint of their models",
        columns=("points", "mean gap", "slope", "intercept", "Pearson r", "below midpoint"),
        rows=rows,
    )


def _clause_table(results: Sequence[PairResult], figure: Figure) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            effect.clauses,
            effect.category,
            len(effect.models),
            effect.delta,
            effect.closed,
            ", ".join(effect.without_tax) or "none",
        )
        for effect in clause_effects(results, figure=figure)
    ]
    return Table(
        name="tax-clauses",
        title="Intervention clauses",
        columns=("clauses", "category", "models", "delta", "% closed", "left out of % closed"),
        rows=tuple(rows),
        note="Left out: models whose tax in the category is below 0.02.",
    )
