"""The collaboration tax, the pair as a game, and the intervention clauses."""

import math

import numpy as np
import pytest
from cases import cases

from coordgym.errors import EpisodeError
from coordgym.silo_env.pairs.analysis.scores.clauses import clause_effects
from coordgym.silo_env.pairs.analysis.scores.games import (
    NullPoint,
    additive_null,
    is_subadditive,
    null_points,
    pair_games,
    shapley,
    violates_max_superadditivity,
)
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORY_OF, PairResult
from coordgym.silo_env.pairs.analysis.scores.tables import tax_tables
from coordgym.silo_env.pairs.analysis.scores.tax import (
    above_floor,
    category_taxes,
    measured_floors,
    tax_cells,
)


def played(
    task: str,
    models: tuple[str, ...],
    scores: list[float],
    *,
    mode: str | None = None,
    clauses: str = "none",
    first_seed: int = 0,
    setting: str = "{}",
) -> list[PairResult]:
    """One episode per score; alone with one model, as a pair with two."""
    return [
        PairResult(
            task=task,
            category=CATEGORY_OF[task],
            mode=mode or ("pair" if len(models) == 2 else "solo_full"),
            clauses=clauses,
            models=models,
            seed=first_seed + index,
            repeat=0,
            score=score,
            exact=score == 1.0,
            setting=setting,
        )
        for index, score in enumerate(scores)
    ]


def homogeneous(task: str, model: str, solo: list[float], pair: list[float]) -> list[PairResult]:
    return played(task, (model,), solo) + played(task, (model, model), pair)


class TestTax:
    def test_tax_and_ratio_of_a_cell(self) -> None:
        results = homogeneous("maze", "a", [1.0, 0.8, 0.6], [0.5, 0.4, 0.3])
        (cell,) = tax_cells(results)
        assert cell.homogeneous
        assert cell.paired
        assert cell.seeds == 3
        assert (cell.pair, *cell.solo) == pytest.approx((0.4, 0.8, 0.8))
        assert cell.tax.value == pytest.approx(0.4)
        # Every pair score is half of its solo score, so every resample has the ratio 0.5.
        assert cell.ratio == pytest.approx((0.5, 0.5, 0.5))

    def test_a_mixed_pair_is_held_against_its_better_model(self) -> None:
        results = [
            *played("maze", ("weak",), [0.2, 0.4]),
            *played("maze", ("strong",), [1.0, 0.8]),
            *played("maze", ("weak", "strong"), [0.6, 0.6]),
            *played("maze", ("strong", "weak"), [0.9, 0.9]),
        ]
        cells = {cell.models: cell for cell in tax_cells(results)}
        assert cells["weak", "strong"].solo == pytest.approx((0.3, 0.9))
        assert cells["weak", "strong"].tax.value == pytest.approx(0.3)
        assert cells["strong", "weak"].tax.value == pytest.approx(0.0)

    def test_pairs_may_beat_solo_and_solo_may_be_zero(self) -> None:
        (cell,) = tax_cells(homogeneous("maze", "a", [0.5, 0.5], [0.75, 0.75]))
        assert cell.ratio.value == pytest.approx(-0.5)
        (cell,) = tax_cells(homogeneous("maze", "a", [0.0, 0.0], [0.5, 0.0]))
        assert cell.tax.value == pytest.approx(-0.25)
        assert math.isnan(cell.ratio.value)

    def test_exact_counts_optimal_answers_only(self) -> None:
        results = homogeneous("maze", "a", [1.0, 1.0, 0.9], [1.0, 0.9, 0.9])
        (cell,) = tax_cells(results, figure="exact")
        assert cell.tax.value == pytest.approx(1 / 3)

    def test_repeats_of_a_seed_are_averaged(self) -> None:
        solo = played("maze", ("a",), [1.0, 1.0])
        pair = played("maze", ("a", "a"), [0.0, 1.0])
        again = [
            PairResult(
                **{name: getattr(pair[0], name) for name in PairResult.__dataclass_fields__}
                | {"repeat": 1, "score": 0.5}
            )
        ]
        (cell,) = tax_cells([*solo, *pair, *again])
        assert cell.seeds == 2
        assert cell.pair == pytest.approx((0.25 + 1.0) / 2)

    def test_other_seeds_give_an_unpaired_interval(self) -> None:
        results = played("maze", ("a",), [1.0, 0.9, 0.8]) + played(
            "maze", ("a", "a"), [0.5, 0.4, 0.6], first_seed=10
        )
        assert not tax_cells(results)[0].paired

    def test_settings_are_never_mixed(self) -> None:
        results = homogeneous("maze", "a", [1.0], [0.5])
        other = played("maze", ("a", "a"), [0.1], setting='{"friction": 2}')
        with pytest.raises(EpisodeError, match="friction"):
            tax_cells([*results, *other])

    def test_a_category_is_the_mean_of_ratios(self) -> None:
        results = [
            *homogeneous("maze", "a", [1.0, 1.0], [0.5, 0.5]),
            *homogeneous("terrain", "a", [0.5, 0.5], [0.4, 0.4]),
            *homogeneous("numberlink", "a", [0.2, 0.2], [0.0, 0.0]),
            *homogeneous("cube", "a", [0.0, 0.0], [0.0, 0.0]),
        ]
        (spatial, total) = category_taxes(results)
        assert (spatial.category, total.category) == ("spatial", "all")
        assert spatial.tasks == ("maze", "numberlink", "terrain")
        assert spatial.ratio.value == pytest.approx((0.5 + 0.2 + 1.0) / 3)
        assert spatial.without_exploratory.value == pytest.approx(0.35)
        assert spatial.tax.value == pytest.approx((0.5 + 0.1 + 0.2 + 0.0) / 4)
        # Scores don't vary within tasks: the interval comes from drawing tasks alone.
        assert spatial.ratio.low == pytest.approx(0.2)
        assert spatial.ratio.high == pytest.approx(1.0)

    def test_same_results_same_intervals(self) -> None:
        rng = np.random.default_rng(3)
        results = homogeneous("maze", "a", list(rng.random(20)), list(rng.random(20)))
        assert tax_cells(results) == tax_cells(list(reversed(results)))

    def test_floors_are_those_of_the_better_view(self) -> None:
        results = [
            *played("maze", ("x",), [0.2, 0.4], mode="solo_view1"),
            *played("maze", ("x",), [0.5, 0.5], mode="solo_view2"),
        ]
        assert measured_floors(results) == {("maze", "x"): 0.5}
        assert above_floor(0.75, 0.5) == 0.5
        assert math.isnan(above_floor(1.0, 1.0))

    def test_no_model_moves_the_floor_of_another(self) -> None:
        strong = [
            *homogeneous("maze", "a", [1.0, 1.0], [0.8, 0.8]),
            *played("maze", ("a",), [0.6, 0.6], mode="solo_view1"),
            *played("maze", ("a",), [0.2, 0.2], mode="solo_view2"),
        ]
        weak = [
            *homogeneous("maze", "random", [0.0, 0.0], [0.0, 0.0]),
            *played("maze", ("random",), [0.0, 0.0], mode="solo_view1"),
            *played("maze", ("random",), [0.1, 0.1], mode="solo_view2"),
            *played("maze", ("a", "random"), [0.7, 0.7]),
            *homogeneous("maze", "unmeasured", [1.0, 1.0], [0.5, 0.5]),
            *played("maze", ("a", "unmeasured"), [0.7, 0.7]),
        ]

        def above(results: list[PairResult]) -> dict[object, float]:
            tables = {table.name: table for table in tax_tables(results)}
            rows = tables["tax-tasks"].rows
            rows += tables["tax-mixed"].rows if "tax-mixed" in tables else ()
            return {row[2] if row[1] == "spatial" else row[1]: row[-1] for row in rows}  # type: ignore[misc]

        assert above(strong) == pytest.approx({"a": 0.5})
        assert above(strong + weak) == pytest.approx(
            {
                "a": 0.5,
                "random": -1 / 9,
                "unmeasured": math.nan,
                "a × random": 0.25,
                "a × unmeasured": math.nan,
            },
            nan_ok=True,
        )


class TestGames:
    @pytest.mark.parametrize("case", cases("pair_shapley"))
    def test_reference_shapley_values(self, case) -> None:
        values = case["v1"], case["v2"], case["v12"]
        assert shapley(*values) == pytest.approx((case["phi1"], case["phi2"]))
        assert violates_max_superadditivity(*values) is case["violates_max_superadditivity"]

    @pytest.mark.parametrize("case", cases("pair_shapley", violates_max_superadditivity=True))
    def test_the_papers_shapley_values(self, case) -> None:
        values = case["v1"], case["v2"], case["v12"]
        assert sum(shapley(*values)) == pytest.approx(values[2])
        assert is_subadditive(*values)
        assert all(share < own for share, own in zip(shapley(*values), values, strict=False))

    def test_a_pair_without_tax_violates_nothing(self) -> None:
        assert not violates_max_superadditivity(0.5, 0.9, 0.9)
        assert not is_subadditive(0.25, 0.25, 0.5)

    def test_games_average_over_tasks(self) -> None:
        results = []
        for task, pair in (("maze", 0.5), ("terrain", 1.0)):
            results += played(task, ("a",), [0.8, 0.8]) + played(task, ("b",), [0.4, 0.4])
            results += played(task, ("a", "b"), [pair, pair])
        (game,) = pair_games(tax_cells(results))
        assert (game.tasks, game.violated, game.subadditive) == (2, 0.5, 1.0)
        assert (game.v1, game.v2, game.v12) == pytest.approx((0.8, 0.4, 0.75))
        assert game.shares == pytest.approx((0.575, 0.175))

    def test_additive_null_of_a_known_line(self) -> None:
        points = [
            NullPoint(task, x, 1.35 * x - 0.27)
            for task, x in (("maze", 0.2), ("cube", 0.4), ("order", 0.6), ("logic", 1.0))
        ]
        found = additive_null(points)
        assert found is not None
        assert (found.slope, found.intercept) == pytest.approx((1.35, -0.27))
        assert found.correlation == pytest.approx(1.0)
        gaps = [point.ratio - point.midpoint for point in points]
        assert found.gap.value == pytest.approx(np.mean(gaps))
        assert found.gap.low < found.gap.value < found.gap.high
        assert found.below == 0.75
        assert additive_null([]) is None

    def test_points_need_both_homogeneous_pairs(self) -> None:
        results = [
            *homogeneous("maze", "a", [1.0, 1.0], [0.8, 0.8]),
            *homogeneous("maze", "b", [0.5, 0.5], [0.2, 0.2]),
            *played("maze", ("a", "b"), [0.7, 0.7]),
            *homogeneous("cube", "a", [1.0, 1.0], [0.8, 0.8]),
            *played("cube", ("b",), [0.5, 0.5]),
            *played("cube", ("a", "b"), [0.7, 0.7]),
        ]
        (point,) = null_points(tax_cells(results))
        assert point == ("maze", pytest.approx((0.2 + 0.6) / 2), pytest.approx(0.3))


class TestClauses:
    def test_delta_and_percent_closed(self) -> None:
        results = [
            *homogeneous("maze", "a", [1.0, 1.0], [0.5, 0.5]),
            *played("maze", ("a", "a"), [0.75, 0.75], clauses="all"),
            *homogeneous("terrain", "a", [1.0, 1.0], [0.9, 0.9]),
            *played("terrain", ("a", "a"), [0.95, 0.95], clauses="all"),
        ]
        spatial, total = clause_effects(results)
        assert (spatial.clauses, spatial.category, total.category) == ("all", "spatial", "all")
        assert spatial.delta.value == pytest.approx(0.15)
        # On category means: 0.15 of 0.3, not the mean of the tasks' 50 %.
        assert spatial.closed.value == pytest.approx(50.0)
        assert spatial.without_tax == ()

    def test_models_without_tax_have_no_percentage(self) -> None:
        results = [
            *homogeneous("maze", "a", [1.0, 1.0], [0.6, 0.6]),
            *played("maze", ("a", "a"), [0.7, 0.7], clauses="no_l2"),
            *homogeneous("maze", "b", [1.0, 1.0], [0.99, 0.99]),
            *played("maze", ("b", "b"), [1.0, 1.0], clauses="no_l2"),
        ]
        effect = clause_effects(results)[0]
        assert effect.models == ("a", "b")
        assert effect.without_tax == ("b",)
        assert effect.delta.value == pytest.approx((0.1 + 0.01) / 2)
        assert effect.closed.value == pytest.approx(25.0)

    def test_no_condition_no_effect(self) -> None:
        assert clause_effects(homogeneous("maze", "a", [1.0], [0.5])) == []
