"""Means, spreads and intervals are right, and the tables say what they count."""

import csv
import io
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from coordgym.runs.evaluate import Results, evaluate
from coordgym.runs.report import (
    HEADERS,
    Estimate,
    cells,
    estimate,
    summarize,
    to_csv,
    to_markdown,
    write_report,
)
from coordgym.runs.report_table import terminal_table

RELAY = "import:toy_relay:Relay"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    trouble = {"raises": [1]}
    plan: dict[str, Any] = {
        "name": "toy",
        "seeds": 4,
        "repeats": 2,
        "envs": [{"id": RELAY, "kwargs": {"turns": 3}}],
        "policies": [
            "random",
            {"name": "a|b", "policy": "import:toy_relay:Troublemaker", "kwargs": trouble},
            {"name": "model", "policy": "import:toy_relay:Sayer", "kwargs": {"tokens": 5}},
        ],
    }
    return evaluate(plan, tmp_path_factory.mktemp("results"))


def test_few_values_have_no_interval() -> None:
    assert repr(estimate([], [])) == repr(Estimate(0, *[math.nan] * 4))
    assert repr(estimate([math.nan], [0])) == repr(Estimate(0, *[math.nan] * 4))
    assert repr(estimate([2.0], [0])) == repr(Estimate(1, 2.0, math.nan, math.nan, math.nan))
    two_of_one_seed = estimate([1.0, 3.0], [0, 0])
    assert two_of_one_seed[:3] == (2, 2.0, pytest.approx(math.sqrt(2)))
    assert math.isnan(two_of_one_seed.low)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert estimate([0.25] * 5, list(range(5))) == Estimate(5, 0.25, 0.0, 0.25, 0.25)


def test_the_interval_is_the_percentile_bootstrap_of_the_mean() -> None:
    data = np.random.default_rng(1).gamma(2.0, size=40)
    ours = estimate(data.tolist(), list(range(40)))
    theirs = stats.bootstrap(
        (data,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (ours.mean, ours.std) == pytest.approx((data.mean(), data.std(ddof=1)))
    assert ours.low == pytest.approx(theirs.low, abs=0.03)
    assert ours.high == pytest.approx(theirs.high, abs=0.03)
    assert ours == estimate(data.tolist(), list(range(40)))


def test_repeats_of_a_seed_do_not_narrow_the_interval() -> None:
    values = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    once = estimate(values, list(range(6)))
    repeated = estimate(values * 10, list(range(6)) * 10)
    assert repeated.mean == once.mean
    assert repeated.high - repeated.low == pytest.approx(once.high - once.low)


def test_many_seeds_are_resampled_in_bounded_memory() -> None:
    n = 5_000
    figure = estimate([float(i % 2) for i in range(n)], list(range(n)))
    half_width = 1.96 * 0.5 / math.sqrt(n)
    assert figure.low == pytest.approx(0.5 - half_width, abs=half_width / 4)


def test_a_figure_that_few_episodes_have_is_about_those() -> None:
    figure = estimate([math.nan, 2.0, math.nan, 4.0], [0, 1, 2, 3])
    assert figure[:2] == (2, 3.0)
    assert (figure.low, figure.high) == (2.0, 4.0)


def test_failed_episodes_are_counted_beside_the_means(results: Results) -> None:
    random, trouble, model = summarize(results)
    assert (random.policy, trouble.policy, model.policy) == ("random", "a|b", "model")
    assert trouble.failures == {"ZeroDivisionError": 1}
    assert (trouble.episodes, trouble.success_all) == (8, 7 / 8)
    assert trouble.figure("success") == Estimate(7, 1.0, 0.0, 1.0, 1.0)
    assert model.figure("completion_tokens").mean == 15
    assert model.figure("C").mean == 15 / 20
    assert random.figure("C").n == 0
    assert random.figure("completion_tokens").n == 0
    assert 0 < random.figure("score").mean < 1


def test_the_table_of_a_plan_with_one_seed(tmp_path: Path) -> None:
    results = evaluate({"envs": [RELAY], "policies": ["random"], "seeds": 1}, tmp_path)
    row = to_markdown(results).splitlines()[4].split(" | ")
    assert row[2] == "1"
    assert "±" not in row[5]
    assert row[6] == "–"


def test_markdown_escapes_names_and_tells_errors(results: Results) -> None:
    text = to_markdown(results)
    assert "| a\\|b | 8 | 1 | 100% | 1.000 ± 0.000 | 1.000 … 1.000 |" in text
    assert "Errors of a|b in import:toy_relay:Relay turns=3: 1 ZeroDivisionError." in text
    assert "| model | 8 | 0 | 100% |" in text


def test_csv_has_every_figure(results: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(results))))
    assert [row["policy"] for row in rows] == ["random", "a|b", "model"]
    assert (rows[1]["errors"], rows[1]["success_all"], rows[1]["success_n"]) == ("1", "0.875", "7")
    assert rows[2]["C_mean"] == "0.75"
    assert rows[0]["C_mean"] == ""
    assert float(rows[0]["score_low"]) <= float(rows[0]["score_mean"])


LONG = "import:toy_relay:Relay turns=3", "a-model-of-some-length:8b-instruct"


def in_terminal(results: Results, width: int) -> str:
    """What a terminal of this width shows."""
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(terminal_table(results, width))
    return console.export_text()


@pytest.fixture(scope="module")
def named_at_length(results: Results) -> Results:
    """The same results, with a policy of a long name."""
    *others, model = results.plan.policies
    renamed = replace(model, name=LONG[1])
    rows = tuple(
        replace(row, cell=replace(row.cell, policy=renamed)) if row.cell.policy == model else row
        for row in results.rows
    )
    return Results(results.out_dir, replace(results.plan, policies=(*others, renamed)), rows)


def test_rounding_errors_leave_no_dust_in_the_table_of_figures(results: Results) -> None:
    relay, random = results.plan.envs[0].label, results.plan.policies[0].name
    rows = [row for row in results.rows if row.cell.policy.name == random]
    equal = [replace(row, metrics={**row.metrics, "score": 0.1}) for row in rows[:3]]
    assert estimate([0.1] * 3, [0, 1, 2]).std > 0  # the dust
    table = list(csv.DictReader(io.StringIO(to_csv(replace(results, rows=tuple(equal))))))
    assert [(row["env"], row["policy"]) for row in table] == [(relay, random)]
    assert (table[0]["score_mean"], table[0]["score_std"]) == ("0.1", "0")


def test_the_terminal_table_shows_all_rows(results: Results) -> None:
    text = in_terminal(results, 140)
    assert all(name in text for name in ("random", "a|b", "model", "1 ZeroDivisionError"))
    assert all(header in text for header in HEADERS)
    assert "No room" not in text


@pytest.mark.parametrize("width", range(40, 200, 7))
def test_no_width_of_a_terminal_cuts_a_name_or_a_number(
    named_at_length: Results, width: int
) -> None:
    text = in_terminal(named_at_length, width)
    assert max(map(len, text.splitlines())) <= width
    assert all(text.count(name) >= 1 for name in LONG)
    assert "…" not in text.replace(" … ", "")
    heads = next(line for line in text.splitlines() if "score ± std" in line)
    shown = re.split(r" {2,}", heads.strip())
    told = " ".join(text.split()).partition("No room for ")[2].partition(" here; report.md")[0]
    left_out = told.split(", ") if told else []
    assert sorted({*shown, *left_out} - {*HEADERS[:2]}) == sorted(HEADERS[2:])
    assert not {*shown} & {*left_out}
    for row in map(cells, summarize(named_at_length)):
        assert all(row[HEADERS.index(header)] in text for header in shown)


def test_names_stand_above_the_figures_where_there_is_no_room_beside_them(
    named_at_length: Results,
) -> None:
    lines = {width: in_terminal(named_at_length, width).splitlines() for width in (60, 90, 120)}
    environment, policy = LONG
    # In the narrowest both stand above; then the environment does, once for all of its rows.
    assert lines[60].count(environment) == 1
    assert policy in lines[60]
    assert lines[90].count(environment) == 1
    assert [line for line in lines[90] if line.startswith(f"{policy}  ")]
    assert [line for line in lines[120] if line.startswith(f"{environment}  {policy}  ")]


def test_missing_episodes_are_told(results: Results) -> None:
    part = Results(results.out_dir, results.plan, results.rows[:5])
    assert "19 of 24 episodes have not been played." in to_markdown(part)


def test_reports_are_written_beside_the_episodes(results: Results) -> None:
    markdown, table = write_report(results)
    assert markdown.read_text(encoding="utf-8") == to_markdown(results)
    assert table.read_text(encoding="utf-8") == to_csv(results)
