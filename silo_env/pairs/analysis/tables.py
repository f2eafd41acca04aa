"""Tables of figures for a terminal, as Markdown and as CSV."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from coordgym.silo_env.pairs.analysis.intervals import Estimate

if TYPE_CHECKING:
    from rich.table import Table as RichTable

Value: TypeAlias = "str | int | float | Estimate | None"
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: Its name in file names.
        title: What it shows.
        columns: Headers.
        rows: Cells; an estimate shows its interval, NaN and None show a dash.
        note: What a reader has to know; may be empty.
        digits: Decimals of figures.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    digits: int = 3

    def texts(self) -> list[list[str]]:
        """The cells as readers see them."""
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
        """For each column whether it holds figures."""
        return [
            all(not isinstance(row[index], str) for row in self.rows)
            for index in range(len(self.columns))
        ]


def to_markdown(tables: Sequence[Table]) -> str:
    """The tables one below the other, each with a heading."""
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: Table) -> str:
    rule = ["---:" if numeric else "---" for numeric in table.numeric()]
    rows = [list(table.columns), rule, *table.texts()]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    note = f"\n{table.note}\n" if table.note else ""
    return f"## {table.title}\n\n" + "\n".join(lines) + f"\n{note}"


def to_csv(table: Table) -> str:
    """The table with full precision; an estimate fills three columns, unknown figures none."""
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


def to_terminal(table: Table) -> "RichTable":
    """The table for a rich console."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(
        title=table.title,
        caption=table.note or None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for column, numeric in zip(table.columns, table.numeric(), strict=True):
        if numeric:
            shown.add_column(column, justify="right", no_wrap=True)
        else:
            shown.add_column(column, overflow="fold", min_width=12)
    for row in table.texts():
        shown.add_row(*(Text(cell) for cell in row))
    return shown
