"""Reports say what they count, as Markdown and as CSV."""

import csv
import io
from dataclasses import replace
from pathlib import Path

from relay_runs import RELAY

from coordgym.data.statistics import sample_mean
from coordgym.runs.evaluate import evaluate
from coordgym.runs.report import csv_report, markdown_report, write_report
from coordgym.runs.results import Results


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


def test_rounding_errors_leave_no_dust_in_the_table_of_figures(results: Results) -> None:
    relay, random = results.plan.envs[0].label, results.plan.policies[0].name
    rows = [row for row in results.rows if row.cell.policy.name == random]
    equal = [replace(row, metrics={**row.metrics, "score": 0.1}) for row in rows[:3]]
    assert sample_mean([0.1] * 3, [0, 1, 2]).std > 0  # the dust
    table = list(csv.DictReader(io.StringIO(csv_report(replace(results, rows=tuple(equal))))))
    assert [(row["env"], row["policy"]) for row in table] == [(relay, random)]
    assert (table[0]["score_mean"], table[0]["score_std"]) == ("0.1", "0")


def test_missing_episodes_are_told(results: Results) -> None:
    part = Results(results.out_dir, results.plan, results.rows[:5])
    assert "19 of 24 episodes have not been played." in markdown_report(part)


def test_reports_are_written_beside_the_episodes(results: Results) -> None:
    markdown, table = write_report(results)
    assert markdown.read_text(encoding="utf-8") == markdown_report(results)
    assert table.read_text(encoding="utf-8") == csv_report(results)
