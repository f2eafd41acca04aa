"""The table of a report cuts nothing at any width of a terminal."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from coordgym.runs.report import HEADERS, cells
from coordgym.runs.report_table import terminal_table
from coordgym.runs.results import Results

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
