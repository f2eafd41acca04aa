"""Means, spreads and intervals are right, and the tables say what they count."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from coordgym.data.statistics import SampleMean, sample_mean
from coordgym.runs.evaluate import evaluate
from coordgym.runs.report import HEADERS, cells, csv_report, markdown_report, write_report
from coordgym.runs.report_table import terminal_table
from coordgym.runs.results import Results

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


def test_failed_episodes_are_counted_beside_the_means(results: Results) -> None:
    random, trouble, model = results.summaries()
    assert (random.policy, trouble.policy, model.policy) == ("random", "a|b", "model")
    assert trouble.failures == {"ZeroDivisionError": 1}
    assert (trouble.episodes, trouble.success_all) == (8, 7 / 8)
    assert trouble.figure("success") == SampleMean(7, 1.0, 0.0, 1.0, 1.0)
    assert model.figure("completion_tokens").mean == 15
    assert model.figure("C").mean == 15 / 20
    assert random.figure("C").n == 0
    assert random.figure("completion_tokens").n == 0
    assert 0 < random.figure("score").mean < 1


def test_the_table_of_a_plan_with_one_seed(tmp_path: Path) -> None:
    results = evaluate({"envs": [RELAY], "policies": ["random"], "seeds": 1}, tmp_path)
    row = markdown_report(results).splitlines()[4].split(" | ")
    assert row[2] == "1"
    assert "±" not in row[5]
    assert row[6] == "–"


def test_markdown_escapes_names_and_tells_errors(results: Results) -> None:
    text = markdown_report(results)
    assert "| a\\|b | 8 | 1 | 100% | 1.000 ± 0.000 | 1.000 … 1.000 |" in text
    assert "Errors of a|b in import:toy_relay:Relay turns=3: 1 ZeroDivisionError." in text
    assert "| model | 8 | 0 | 100% |" in text


def test_csv_has_every_figure(results: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_report(results))))
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
    assert sample_mean([0.1] * 3, [0, 1, 2]).std > 0  # the dust
    table = list(csv.DictReader(io.StringIO(csv_report(replace(results, rows=tuple(equal))))))
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
    for row in map(cells, named_at_length.summaries()):
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
    assert "19 of 24 episodes have not been played." in markdown_report(part)


def test_reports_are_written_beside_the_episodes(results: Results) -> None:
    markdown, table = write_report(results)
    assert markdown.read_text(encoding="utf-8") == markdown_report(results)
    assert table.read_text(encoding="utf-8") == csv_report(results)
