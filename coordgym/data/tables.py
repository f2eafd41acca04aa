"""Tables of names and figures: as Markdown, as CSV and for a terminal."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Literal, TypeAlias

from coordgym.data.statistics import Estimate

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

Value: TypeAlias = "str | int | float | Estimate | None"
NOTHING = "–"
GAP = 2
"""Blanks between the columns of a terminal."""
PROSE_WIDTH = 100
"""Characters of a line of notes that are no table and go to a file or a pipe."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: Its name in file names.
        title: What it shows.
        columns: Headers; none where the note says why there is no table.
        rows: Cells; an estimate shows its interval, NaN and None show a dash.
        note: What a reader has to know; may be empty.
        digits: Decimals of figures.
        numbers_from: Columns from here on hold figures; None: those in which no cell is a text.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    digits: int = 3
    numbers_from: int | None = None

    def texts(self) -> list[list[str]]:
        """Return the cells as readers see them."""
        return [[self._text(value) for value in row] for row in self.rows]

    def _text(self, value: Value) -> str:
        if isinstance(value, Estimate):
            middle = self._text(value.value)
            if math.isnan(value.low):
                return middle
            return f"{middle} [{self._text(value.low)}, {self._text(value.high)}]"
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return NOTHING
        return f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)

    def numeric(self) -> list[bool]:
        """Tell for each column whether it holds figures."""
        columns = range(len(self.columns))
        if self.numbers_from is not None:
            return [index >= self.numbers_from for index in columns]
        return [all(not isinstance(row[index], str) for row in self.rows) for index in columns]

    def names(self) -> int:
        """Count the columns in front of the first figures; they tell what a row is about."""
        return next((k for k, numeric in enumerate(self.numeric()) if numeric), len(self.columns))


def markdown_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers_from: int | None = None
) -> str:
    """Write headers and cells as a table of Markdown.

    Args:
        columns: Headers.
        rows: Cells, as readers see them.
        numbers_from: Columns from here on are aligned to the right; None = none of them.
    """
    first = len(columns) if numbers_from is None else numbers_from
    return _pipes(columns, rows, [index >= first for index in range(len(columns))])


def to_markdown(tables: Sequence[Table]) -> str:
    """Write the tables one below the other, each with a heading."""
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: Table) -> str:
    note = f"\n{table.note}\n" if table.note else ""
    if not table.columns:
        return f"## {table.title}\n{note}"
    return f"## {table.title}\n\n{_pipes(table.columns, table.texts(), table.numeric())}\n{note}"


def _pipes(
    columns: Sequence[str], rows: Iterable[Sequence[str]], to_the_right: Iterable[bool]
) -> str:
    rule = ["---:" if right else "---" for right in to_the_right]
    lines = ("| " + " | ".join(map(_escaped, line)) + " |" for line in (columns, rule, *rows))
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def to_csv(table: Table) -> str:
    """Write full precision; an estimate fills three columns, unknown figures leave theirs empty."""
    wide = [
        any(isinstance(row[index], Estimate) for row in table.rows)
        for index in range(len(table.columns))
    ]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    head: list[str] = []
    for column, is_wide in zip(table.columns, wide, strict=True):
        head += [column, f"{column}_low", f"{column}_high"] if is_wide else [column]
    writer.writerow(head)
    for row in table.rows:
        cells: list[str] = []
        for value, is_wide in zip(row, wide, strict=True):
            if not is_wide:
                cells.append(_plain(value))
                continue
            parts = value if isinstance(value, Estimate) else (value, None, None)
            cells.extend(_plain(part) for part in parts)
        writer.writerow(cells)
    return buffer.getvalue()


def _plain(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def to_terminal(table: Table, width: int | None = None) -> "Group":
    """Lay the table out for a rich console that is as wide as ``width_of`` says, or wider.

    No cell is cut or broken. Columns that don't fit beside the names (the columns in front of the
    first figures) go into a further table below with the names repeated. Where names leave no
    room for a figure, each row's figures stand below its names.

    Args:
        table: The table.
        width: Characters of a line on the screen; None: as many as the table needs.
    """
    from rich.console import Group
    from rich.text import Text

    widths = column_widths(table)
    names = range(table.names())
    figures = range(len(names), len(table.columns))
    room = math.inf if width is None else width - _line_width(widths, names)
    parts: list[RichTable | Text] = []
    if width is not None and room < max((widths[k] + GAP for k in figures), default=0):
        parts += [_stacked(table, row, width) for row in table.texts()]
        parts.append(Text())
    elif table.columns:
        for group in _groups(figures, widths, room):
            parts += [_grid(table, [*names, *group]), Text()]
    title, note = (
        fill(text, width or PROSE_WIDTH, break_long_words=False)
        for text in (table.title, table.note)
    )
    if note:
        parts.append(Text(f"{note}\n", style="italic"))
    return Group(Text(title, style="bold"), *parts)


def width_of(table: Table) -> int:
    """Return the characters of a line that the whole table needs."""
    return _line_width(column_widths(table), range(len(table.columns)))


def column_widths(table: Table) -> list[int]:
    """Return the characters of each column on a terminal."""
    from rich.cells import cell_len

    rows = [table.columns, *table.texts()]
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def _line_width(widths: Sequence[int], columns: Iterable[int]) -> int:
    return sum(widths[index] + GAP for index in columns)


def _groups(columns: Iterable[int], widths: Sequence[int], room: float) -> list[list[int]]:
    """Put columns in order into as few groups as fit the room; one group at least."""
    groups: list[list[int]] = [[]]
    for index in columns:
        if groups[-1] and _line_width(widths, [*groups[-1], index]) > room:
            groups.append([])
        groups[-1].append(index)
    return groups


def _grid(table: Table, indices: Sequence[int]) -> "RichTable":
    """Lay out some columns of a table."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0))
    numeric = table.numeric()
    for index in indices:
        justify: Literal["right", "left"] = "right" if numeric[index] else "left"
        shown.add_column(Text(table.columns[index]), justify=justify, no_wrap=True)
    for row in table.texts():
        shown.add_row(*(Text(row[index]) for index in indices))
    return shown


def _stacked(table: Table, row: Sequence[str], width: int) -> "Text":
    """Lay out a row with its names in a line and its figures below, as many to a line as fit."""
    from rich.cells import cell_len
    from rich.text import Text

    names = table.names()
    lines = ["  ".join(row[:names])]
    for column, cell in zip(table.columns[names:], row[names:], strict=True):
        figure = f"{column} {cell}"
        if len(lines) > 1 and cell_len(f"{lines[-1]}, {figure}") < width:
            lines[-1] += f", {figure}"
        else:
            lines.append(f"    {figure}")
    return Text("\n".join(lines), no_wrap=True, overflow="ignore")
