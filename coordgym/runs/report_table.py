"""The table of a report as a terminal shows it: names whole at any width, figures as they fit."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from coordgym.data.tables import GAP, Table, column_widths
from coordgym.runs.report import HEADERS, NUMERIC_FROM, cells, footnotes
from coordgym.runs.results import Results

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

_LEFT_OUT_FIRST = ("invalid", "seconds", "tokens", "rounds", "messages", "95 % interval")
"""Figures that a narrow terminal does without, in this order; the others are always shown."""


def terminal_table(results: Results, width: int) -> "Group":
    """Return title, table and notes for a rich console.

    Figures for which there is no room are left out, and a note says which. Where even then
    there is none for the names beside the figures, the environment stands above its rows,
    and in the narrowest terminals the policy too.

    Args:
        results: What to show.
        width: Columns of the terminal.
    """
    from rich.console import Group
    from rich.text import Text

    summaries = results.summaries()
    table = Table("report", results.plan.name, HEADERS, tuple(map(cells, summaries)))
    rows = [dict(zip(HEADERS, row, strict=True)) for row in table.texts()]
    widths = dict(zip(HEADERS, column_widths(table), strict=True))
    names, figures = HEADERS[:NUMERIC_FROM], HEADERS[NUMERIC_FROM:]
    above, beside = _names_by_place(
        names, _total(_fitting(figures, widths, 0), widths), widths, width
    )
    room = width - (_total(beside, widths) + GAP if beside else 0)
    shown = _fitting(figures, widths, room)
    columns = [*beside, *shown]
    lines = [_line(dict(zip(HEADERS, HEADERS, strict=True)), columns, widths, "bold")]
    lines.append(Text("─" * min(width, _total(columns, widths)), style="dim"))
    for i, row in enumerate(rows):
        known = i > 0 and rows[i - 1][HEADERS[0]] == row[HEADERS[0]]
        lines.extend(
            Text(row[name], style="cyan", overflow="fold")
            for name in above
            if not (known and name == HEADERS[0])
        )
        lines.append(_line(row, columns, widths, ""))
    notes = footnotes(results, summaries)
    left_out = [header for header in figures if header not in shown]
    if left_out:
        notes.append(f"No room for {', '.join(left_out)} here; report.md and report.csv have all.")
    title = Text(table.title, style="italic")
    return Group(title, Text(), *lines, Text(), *(Text(note, style="dim") for note in notes))


def _names_by_place(
    names: Sequence[str], needed: int, widths: Mapping[str, int], width: int
) -> tuple[Sequence[str], Sequence[str]]:
    """Tell which names stand above the figures, and which beside them: as many as fit."""
    for above in range(len(names)):
        if _total(names[above:], widths) + GAP + needed <= width:
            return names[:above], names[above:]
    return names, ()


def _total(headers: Sequence[str], widths: Mapping[str, int]) -> int:
    return sum(widths[header] for header in headers) + GAP * (len(headers) - 1)


def _fitting(headers: Sequence[str], widths: Mapping[str, int], room: int) -> list[str]:
    """Return the headers without those that are left out first, until the others fit."""
    kept = list(headers)
    for header in _LEFT_OUT_FIRST:
        if _total(kept, widths) > room:
            kept.remove(header)
    return kept


def _line(
    row: Mapping[str, str], headers: Sequence[str], widths: Mapping[str, int], style: str
) -> "Text":
    """Write one line of the table: names to the left of their columns, figures to the right."""
    from rich.cells import cell_len
    from rich.text import Text

    line = Text(style=style)
    for header in headers:
        blanks = " " * (widths[header] - cell_len(row[header]))
        failed = header == "errors" and row[header] not in ("0", header)
        line.append(" " * GAP if line else "")
        if header in HEADERS[:NUMERIC_FROM]:
            line.append(row[header] + blanks)
        else:
            line.append(blanks).append(row[header], style="red" if failed else "")
    line.rstrip()
    return line
