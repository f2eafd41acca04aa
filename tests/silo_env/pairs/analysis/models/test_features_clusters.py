"""Stages that fail together, the shape of conversations, and kinds of failed dialogues."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from cases import first_case
from sklearn.exceptions import ConvergenceWarning

from coordgym.data.statistics import Estimate
from coordgym.errors import ConfigError, EpisodeError
from coordgym.runs.evaluate import evaluate
from coordgym.runs.results import load_results
from coordgym.silo_env.pairs.analysis.conversations.conversation import (
    conversations_of,
    make_conversation,
    read_conversations,
)
from coordgym.silo_env.pairs.analysis.failures.cascade import STAGES, CascadeLabels, label
from coordgym.silo_env.pairs.analysis.failures.stages import (
    Labelled,
    co_occurrence,
    label_all,
    stage_tables,
)
from coordgym.silo_env.pairs.analysis.models.cluster_names import FORBIDDEN, name_of
from coordgym.silo_env.pairs.analysis.models.clusters import (
    Failure,
    balanced_sample,
    cluster_table,
    failed,
    failures,
    find_clusters,
    majority_stage,
)
from coordgym.silo_env.pairs.analysis.models.descriptions import describe
from coordgym.silo_env.pairs.analysis.models.features import (
    DIALOGUE_FEATURES,
    FEATURES,
    CellShape,
    cell_shapes,
    dialogue_features,
)
from coordgym.silo_env.pairs.analysis.models.ridge import design, fit_ridge, ridge_tables
from coordgym.silo_env.pairs.analysis.plans import tax_plans
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORY_OF
from coordgym.silo_env.pairs.analysis.scores.tax import TaxCell
from coordgym.silo_env.pairs.dialogue.outcome import Message
from coordgym.silo_env.pairs.options import PairOptions

MAZE = first_case("pair_cases", task="maze", size="tiny")["instance"]
ROUTE = [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [3, 2], [3, 3]]
RIGHT = f'FINAL ANSWER: {{"path": {ROUTE}}} ACTI!'
WRONG = 'FINAL ANSWER: {"path": [[0, 0], [1, 0]]} ACTI!'


def talked(*texts: str, models: tuple[str, str] = ("a", "a")) -> Labelled:
    messages = [Message(index % 2, text) for index, text in enumerate(texts)]
    dialogue = make_conversation(PairOptions(), MAZE, messages, models=models)
    return Labelled(dialogue, label(dialogue))


def firing(*stages: str, template: Labelled | None = None) -> Labelled:
    """A failed dialogue in which exactly these stages fail."""
    base = template or talked(WRONG)
    labels = CascadeLabels(
        *(stage not in stages for stage in STAGES), 1, (), 0, (0.0, 0.0), (0.0, 0.0)
    )
    return replace(base, labels=labels)


class TestStages:
    def test_counts_overlap_and_sole_failures(self) -> None:
        found = co_occurrence(
            [firing(), firing("L2"), firing("L3", "L4"), firing("L1", "L3", "L4"), firing("L4")]
        )
        assert found is not None
        assert found.fired == (0.2, 0.4, 0.2, 0.2, 0.0)
        assert found.jaccard["L3", "L4"] == pytest.approx(2 / 3)
        assert found.jaccard["L1", "L3"] == 0.5
        assert found.jaccard["L1", "L2"] == 0.0
        assert found.alone == {"L1": 0.0, "L2": 0.2, "L3": 0.0, "L4": 0.2}
        assert co_occurrence([]) is None

    def test_rates_by_outcome(self) -> None:
        good = talked("(1,0) is open. What is in row 2?", RIGHT)
        tables = {t.name: t for t in stage_tables([good, talked(WRONG), firing("L3")])}
        rows = {row[:3]: row[3:] for row in tables["tax-stages"].rows}
        assert rows["homogeneous", "spatial", "succeeded"] == (1, 1.0, 1.0, 0.0, 0.0)
        assert rows["homogeneous", "all", "failed"] == (2, 1.0, 0.5, 0.0, 0.5)
        assert tables["tax-stages-fired"].rows[1] == (1, 0.5)
        assert tables["tax-stages-overlap"].rows[0][1] is None

    def test_success_may_be_a_threshold(self) -> None:
        near = talked(f'FINAL ANSWER: {{"path": {ROUTE[:-1]}}} ACTI!')
        assert not near.succeeded(None)
        assert near.succeeded(0.8)

    def test_results_call_models_as_plans_do(self, tmp_path) -> None:
        plan = tax_plans({"mine": "pairs:one-view"}, tasks=["maze"], seeds=[0], clauses=["all"])
        evaluate(plan.alike, tmp_path)
        folder = load_results(tmp_path)
        (found,) = label_all(read_conversations([folder]))
        assert found.conversation.models == ("mine", "mine")
        (same,) = label_all(conversations_of(folder.episodes()))
        assert same.conversation.models == ("pairs:one-view", "pairs:one-view")
        assert same.labels == found.labels


class TestFeatures:
    def test_features_of_a_short_dialogue(self) -> None:
        texts = ("Yes, (1,0) is open. OK?", "No, that is wrong, but I agree.", RIGHT)
        each = talked(*texts)
        found = dialogue_features(each.conversation, each.labels)
        lengths = [len(text) for text in texts]
        assert tuple(found) == DIALOGUE_FEATURES
        assert found["n_turns"] == 3
        assert found["total_chars"] == sum(lengths)
        assert found["char_per_turn"] == pytest.approx(sum(lengths) / 3)
        assert found["last3_chars"] == pytest.approx(sum(lengths) / 3)
        assert found["first_chars"] == lengths[0]
        assert found["turn_trend"] == pytest.approx(1.0)
        assert found["agree_density"] == pytest.approx(2000 / sum(lengths))
        assert found["disagree_density"] == pytest.approx(3000 / sum(lengths))
        assert found["coord_density"] == pytest.approx(1000 / sum(lengths))
        assert found["question_density"] == pytest.approx(1 / 3)
        assert found["speaker_balance"] == pytest.approx(lengths[1] / (lengths[0] + lengths[2]))
        assert found["view1_dump_ratio"] == pytest.approx(1 / 7)
        assert found["view2_dump_ratio"] == 0.0
        assert found["dump_first"] == pytest.approx(1 / 14)
        assert found["acti_turn_frac"] == pytest.approx(2 / 100)
        assert found["capped_rate"] == 0.0

    def test_refused_and_equal_messages(self) -> None:
        dialogue = make_conversation(PairOptions(), MAZE, [Message(0, None), Message(1, None)])
        found = dialogue_features(dialogue, label(dialogue))
        assert all(math.isfinite(value) for value in found.values())
        assert found["capped_rate"] == 1.0
        assert found["turn_trend"] == 0.0

    def test_cells_are_means_of_homogeneous_dialogues(self) -> None:
        labelled = [talked(RIGHT), talked("Hello.", WRONG), talked(WRONG, models=("a", "b"))]
        nan = Estimate(math.nan)
        cell = TaxCell("maze", "spatial", ("a", "a"), (1, 1), 0.5, 2, True, nan, Estimate(0.5))
        (shape,) = cell_shapes(labelled, [cell, replace(cell, ratio=nan)])
        assert (shape.model, shape.task, shape.ratio) == ("a", "maze", 0.5)
        assert tuple(shape.features) == FEATURES
        assert shape.features["n_rollouts"] == 2
        assert shape.features["n_turns"] == 1.5
        assert shape.stages["L3"] == 0.0


def synthetic_cells(seed: int = 0, noise: float = 0.02) -> list[CellShape]:
    """Ratios that depend on one feature, the model and the category."""
    rng = np.random.default_rng(seed)
    cells = []
    for m, model in enumerate(("weak", "middle", "strong")):
        for task, category in CATEGORY_OF.items():
            features = dict(zip(FEATURES, rng.normal(size=len(FEATURES)), strict=True))
            ratio = 0.2 * features["char_per_turn"] - 0.2 * m + 0.3 * (category == "spatial")
            stages = dict.fromkeys(STAGES, float(rng.random()))
            total = ratio + noise * float(rng.normal())
            cells.append(CellShape(model, task, category, total, features, stages))
    return cells


class TestRidge:
    def test_a_linear_dependence_is_found_on_held_out_tasks(self) -> None:
        fit = fit_ridge(synthetic_cells())
        assert fit.r2 > 0.9
        assert fit.spearman > 0.9
        assert len(fit.predicted) == len(synthetic_cells())
        heaviest = max(FEATURES, key=lambda name: abs(fit.coefficients[name]))
        assert heaviest == "char_per_turn"
        assert fit.coefficients["csp"] < -0.2
        # The first model by name, "middle", is the reference.
        assert fit.coefficients["model strong"] < 0 < fit.coefficients["model weak"]

    def test_noise_is_not_predicted(self) -> None:
        rng = np.random.default_rng(5)
        cells = [replace(cell, ratio=float(rng.normal())) for cell in synthetic_cells()]
        assert fit_ridge(cells).r2 < 0.2

    def test_models_held_out_keep_order_but_not_level(self) -> None:
        cells = synthetic_cells(noise=0.0)
        by_task = fit_ridge(cells, held_out="task")
        by_model = fit_ridge(cells, held_out="model")
        assert by_task.r2 > by_model.r2

    def test_held_out_tasks_are_not_seen(self) -> None:
        # A task's own level is unpredictable from other tasks, whatever its other cells say.
        rng = np.random.default_rng(1)
        level = {task: float(rng.normal()) for task in CATEGORY_OF}
        cells = [replace(cell, ratio=level[cell.task]) for cell in synthetic_cells()]
        assert fit_ridge(cells).r2 < 0.3

    def test_inputs(self) -> None:
        names, inputs = design(synthetic_cells(), stages=True)
        assert names[: len(FEATURES)] == list(FEATURES)
        assert names[-4:] == ["model strong", "model weak", "relational", "csp"]
        assert inputs.shape == (3 * len(CATEGORY_OF), len(FEATURES) + 4 + 2 + 2)

    def test_tables_and_mistakes(self) -> None:
        ridge, weights = ridge_tables(synthetic_cells())
        assert len(ridge.rows) == 6
        assert weights.rows[0][0] in ("csp", "char_per_turn", "model strong", "relational")
        with pytest.raises(EpisodeError, match="two task"):
            fit_ridge([cell for cell in synthetic_cells() if cell.task == "maze"])
        with pytest.raises(ConfigError, match="held_out"):
            fit_ridge(synthetic_cells(), held_out="seed")  # type: ignore[arg-type]


def synthetic_failures() -> list[Failure]:
    """Six themes, two for each category."""
    themes = {
        "spatial": ("maze", "walked through a wall", "moved before the layout was known"),
        "relational": ("treesum", "added a wrong node value", "counted one triangle too many"),
        "csp": ("binpack", "overloaded a crate with items", "left a clash between meetings"),
    }
    return [
        Failure(f"The pair {theme} number {k % 3}.", f"m{k % 2}", task, category, ("L1", "L4"))
        for category, (task, *texts) in themes.items()
        for theme in texts
        for k in range(8)
    ]


class TestClusters:
    def test_themes_are_found_and_named(self) -> None:
        clusters = find_clusters(synthetic_failures())
        assert sum(each.size for each in clusters) == 48
        assert all(each.share > 0.5 for each in clusters)
        assert {each.category for each in clusters} == {"spatial", "relational", "csp"}
        assert all(each.stage == "L1" for each in clusters)
        for each in clusters:
            words = each.name.split("_")
            assert 3 <= len(words) <= 6
            assert not any(bad in each.name for bad in FORBIDDEN)
        assert any("wall" in each.name or "layout" in each.name for each in clusters)
        assert len(cluster_table(clusters).rows) == len(clusters)

    def test_the_same_failures_give_the_same_clusters(self) -> None:
        assert find_clusters(synthetic_failures()) == find_clusters(synthetic_failures())

    def test_too_few_failures(self) -> None:
        with pytest.raises(EpisodeError, match="more than 4"):
            find_clusters(synthetic_failures()[:4])

    def test_equal_descriptions_leave_no_empty_cluster(self) -> None:
        found = [replace(f, text=f"The pair {f.task} failed.") for f in synthetic_failures()]
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            clusters = find_clusters(found)
        assert sorted(each.size for each in clusters) == [16, 16, 16]

    def test_descriptions_without_words(self) -> None:
        with pytest.raises(EpisodeError, match="no words"):
            find_clusters([replace(f, text="- 1 .") for f in synthetic_failures()])

    def test_samples_are_balanced(self) -> None:
        failure = talked(WRONG)

        def of(task: str, model: str) -> Labelled:
            options = PairOptions(task=task)
            said = replace(failure.conversation, options=options, models=(model, model))
            return replace(failure, conversation=said)

        few = [of(task, f"m{k % 2}") for task in ("maze", "treesum") for k in range(16)]
        found = [*(of("binpack", f"m{k % 2}") for k in range(320)), *few]
        sample = balanced_sample(found, 60)
        counts = [
            sum(f.conversation.category == c for f in sample)
            for c in ("spatial", "relational", "csp")
        ]
        assert counts == [16, 16, 28]
        assert sample == balanced_sample(found, 60)

    def test_names_skip_forbidden_and_empty_words(self) -> None:
        terms = ["the wall", "shared wall", "wall", "cell wall", "42", "crate limit", "verify"]
        weights = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0]
        assert name_of(weights, terms) == "wall_cell_crate_limit"

    def test_the_earliest_of_equal_stages(self) -> None:
        assert majority_stage([("L2", "L3"), ("L3",), ("L2",)]) == "L2"
        assert majority_stage([("L4",), ("L4",), ("L1",)]) == "L4"
        assert majority_stage([()]) == ""


class TestDescriptions:
    def test_what_was_invented_left_out_and_asked(self) -> None:
        failed = talked(
            "I write (row, column), counted from 0 at the top left. (1,1) is open. Ready?",
            WRONG,
        )
        text = describe(failed)
        assert "Task maze." in text
        assert "Stated 1 cell facts that nobody had seen, such as 1 1 ." in text
        assert "Never mentioned 7 cell facts" in text
        assert "The last question was: Ready?" in text
        assert "same message that first gave the answer" in text
        assert "allowed for 17% of its needed moves" in text
        assert not any(stage in text for stage in STAGES)

    def test_a_dialogue_without_an_answer(self) -> None:
        text = describe(talked("Hello.", "Bye."))
        assert "Talked to the limit of 2 messages." in text
        assert "no readable answer" in text
        assert "Nobody asked" in text

    def test_only_failed_homogeneous_dialogues_are_described(self) -> None:
        labelled = [talked(RIGHT), talked(WRONG), talked(WRONG, models=("a", "b"))]
        (failure,) = failures(failed(labelled))
        assert failure.fired == ("L2", "L3", "L4")
        assert (failure.model, failure.task, failure.category) == ("a", "maze", "spatial")
