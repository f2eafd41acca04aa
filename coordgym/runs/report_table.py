"""The table of a report as a terminal shows it: names whole at any width, figures as they fit."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from coordgym.runs.evaluate import Results
from coordgym.runs.report import HEADERS, NUMERIC_FROM, cells, footnotes, summarize

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

_LEFT_OUT_FIRST = ("invalid", "seconds", "tokens", "rounds", "messages", "95 % interval")
"""Figures that a narrow terminal does without, in this order; the others are always shown."""
_GAP = 2
"""Blanks between columns."""


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

    summaries = summarize(results)
    rows = [dict(zip(HEADERS, cells(summary), strict=True)) for summary in summaries]
    widths = _widths([dict(zip(HEADERS, HEADERS, strict=True)), *rows])
    names, figures = HEADERS[:NUMERIC_FROM], HEADERS[NUMERIC_FROM:]
    above, beside = _names_by_place(
        names, _total(_fitting(figures, widths, 0), widths), widths, width
    )
    room = width - (_total(beside, widths) + _GAP if beside else 0)
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
    title = Text(results.plan.name, style="italic")
    return Group(title, Text(), *lines, Text(), *(Text(note, style="dim") for note in notes))


def _names_by_place(
    names: Sequence[str], needed: int, widths: Mapping[str, int], width: int
) -> tuple[Sequence[str], Sequence[str]]:
    """Which names stand above the figures, and which beside them: as many as fit."""
    for above in range(len(names)):
        if _total(names[above:], widths) + _GAP + needed <= width:
            return names[:above], names[above:]
    return names, ()


def _widths(rows: Sequence[Mapping[str, str]]) -> dict[str, int]:
    """Columns of the terminal that each column of the table needs, by header."""
    from rich.cells import cell_len

    return {header: max(cell_len(row[header]) for row in rows) for header in HEADERS}


def _total(headers: Sequence[str], widths: Mapping[str, int]) -> int:
    return sum(widths[header] for header in headers) + _GAP * (len(headers) - 1)


def _fitting(headers: Sequence[str], widths: Mapping[str, int], room: int) -> list[str]:
    """The headers without those that are left out first, until the others fit."""
    kept = list(headers)
    for header in _LEFT_OUT_FIRST:
        if _total(kept, widths) > room:
            kept.remove(header)
    return kept


def _line(
    row: Mapping[str, str], headers: Sequence[str], widths: Mapping[str, int], style: str
) -> "Text":
    """One line of the table: names to the left of their columns, figures to the right."""
    from rich.cells import cell_len
    from rich.text import Text

    line = Text(style=style)
    for header in headers:
        blanks = " " * (widths[header] - cell_len(row[header]))
        failed = header == "errors" and row[header] not in ("0", header)
        line.append(" " * _GAP if line else "")
        if header in HEADERS[:NUMERIC_FROM]:
            line.append(row[header] + blanks)
        else:
            line.append(blanks).append(row[header], style="red" if failed else "")
    line.rstrip()
    return line
