"""Tables show every cell, as Markdown, as CSV and on a terminal of any width."""

import csv
import io
import math

import pytest
from rich.console import Console

from coordgym.data.statistics import Estimate
from coordgym.data.tables import (
    Table,
    markdown_table,
    to_csv,
    to_markdown,
    to_terminal,
    width_of,
)

LONG_MODEL = "llm:openai:Organisation/Some-Model-7B-Instruct@http://localhost:8000/v1"


def printed(table: Table, width: int | None) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=max(width or 0, width_of(table)))
    console.print(to_terminal(table, width), crop=False)
    return file.getvalue().splitlines()


def test_cells_in_every_form() -> None:
    table = Table(
        "t",
        "A | title",
        ("name", "tax", "ratio"),
        (("a|b", Estimate(0.5, 0.25, 0.75), 1 / 3), ("c", Estimate(1.0), math.nan)),
        note="Some note.",
    )
    assert table.texts() == [["a|b", "0.500 [0.250, 0.750]", "0.333"], ["c", "1.000", "–"]]
    markdown = to_markdown([table])
    assert "| a\\|b | 0.500 [0.250, 0.750] | 0.333 |" in markdown
    assert markdown.endswith("Some note.\n")
    rows = list(csv.reader(io.StringIO(to_csv(table))))
    assert rows == [
        ["name", "tax", "tax_low", "tax_high", "ratio"],
        ["a|b", "0.5", "0.25", "0.75", "0.333333"],
        ["c", "1", "", "", ""],
    ]


def test_a_table_without_columns_is_its_note() -> None:
    assert to_markdown([Table("t", "Ratios", (), (), "Not made: no episodes")]) == (
        "## Ratios\n\nNot made: no episodes\n"
    )


def test_figures_stand_to_the_right_where_the_table_says_so() -> None:
    rows = (("a", "1", "x"),)
    assert Table("t", "T", ("k", "n", "note"), rows).numeric() == [False, False, False]
    assert Table("t", "T", ("k", "n", "note"), rows, numbers_from=1).numeric() == [
        False,
        True,
        True,
    ]
    assert markdown_table(("k", "n"), [("a\nb", "1|2")], numbers_from=1).splitlines() == [
        "| k | n |",
        "| --- | ---: |",
        "| a b | 1\\|2 |",
    ]
    assert markdown_table(("k", "n"), []).splitlines()[1] == "| --- | --- |"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 150, 300, None])
@pytest.mark.parametrize("model", ["oracle", "模型" * 6, LONG_MODEL, "[bold]x[/bold]"])
def test_no_cell_is_ever_cut(width: int | None, model: str) -> None:
    tax = Estimate(0.25, -0.125, 0.5)
    table = Table(
        "t",
        "Tax by task",
        ("task", "model", "seeds", "solo", "tax", "left out"),
        (
            ("maze", model, 50, 0.5, tax, "first, second and a third one"),
            ("blueprintmaze", model, 7, 1.0, Estimate(0.125), "none"),
        ),
        note="What a reader has to know about these figures.",
    )
    lines = printed(table, width)
    joined = "\n".join(lines)
    for text in (*table.columns[2:], *(cell for row in table.texts() for cell in row)):
        assert text in joined
    for row in table.texts():
        figures = [line for line in lines if line.startswith(row[0])]
        assert figures
        assert all(model in line for line in figures)
    assert " ".join(joined.split()).endswith(table.note)
    if width is None:
        assert sum(line.startswith("maze") for line in lines) == 1


def test_lines_fit_the_screen_where_names_do() -> None:
    figures = tuple(Estimate(k / 10, k / 20, k / 5) for k in range(6))
    columns = ("model", *(f"figure {k}" for k in range(6)))
    table = Table("t", "Figures", columns, (("oracle", *figures),))
    for width in range(32, 200):
        lines = printed(table, width)
        assert max(map(len, lines)) <= width
    assert sum(line.startswith("oracle") for line in printed(table, 80)) == 2
    assert sum(line.startswith("oracle") for line in printed(table, 199)) == 1
