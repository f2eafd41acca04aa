"""Tables of measured figures: one CSV file each, a row per measured setting.

A row is written as soon as it is measured, so a run that was stopped goes on where it was.
"""

import csv
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

Setting = tuple[str | int, ...]
Figures = NamedTuple
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """One file of results.

    Attributes:
        name: File name without ``.csv``.
        columns: Names of what a setting is made of.
        settings: Lists the settings, in the order of the rows.
        measure: Module-level function that measures one setting, called with its parts.
        figures: The named tuple that ``measure`` returns; its fields are the other columns.
    """

    name: str
    columns: tuple[str, ...]
    settings: Callable[[], Sequence[Setting]]
    measure: Callable[..., Any]
    figures: type[Any]

    @property
    def header(self) -> Row:
        """The names of all columns."""
        return (*self.columns, *self.figures._fields)


def fill(table: MeasuredTable, folder: Path, *, workers: int, say: Callable[[str], None]) -> Path:
    """Measure the settings of a table that its file lacks, and put the rows in order.

    Args:
        table: What to measure.
        folder: Where its file lies.
        workers: Settings measured at a time; each is measured in one process.
        say: Told how far the measurement is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{table.name}.csv"
    settings = {_texts(setting): setting for setting in table.settings()}
    rows = {key: row for key, row in _read(path, table).items() if key in settings}
    todo = [setting for key, setting in settings.items() if key not in rows]
    say(f"{table.name}: {len(rows)} rows are there, {len(todo)} to measure")
    _write(path, table, list(rows.values()))
    started = time.perf_counter()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for count, (setting, figures) in enumerate(_measured(table, todo, workers), start=1):
            row = (*_texts(setting), *map(_text, figures))
            rows[_texts(setting)] = row
            writer.writerow(row)
            file.flush()
            if count % max(1, len(todo) // 10) == 0 or count == len(todo):
                say(f"  {count}/{len(todo)} after {time.perf_counter() - started:.0f} s")
    _write(path, table, [rows[key] for key in settings])
    return path


def _measured(
    table: MeasuredTable, todo: Sequence[Setting], workers: int
) -> Iterator[tuple[Setting, Sequence[object]]]:
    if workers == 1:
        for setting in todo:
            yield setting, table.measure(*setting)
        return
    # Spawned rather than forked: numerical libraries may hold locks of threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        running = {pool.submit(table.measure, *setting): setting for setting in todo}
        for future in as_completed(running):
            yield running[future], future.result()


def _read(path: Path, table: MeasuredTable) -> dict[Row, Row]:
    """Return the complete rows of a file; none if it has other columns than the table."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = [tuple(row) for row in csv.reader(file)] or [()]
    if header != table.header:
        return {}
    return {row[: len(table.columns)]: row for row in rows if len(row) == len(header)}


def _write(path: Path, table: MeasuredTable, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([table.header, *rows])


def _texts(setting: Setting) -> Row:
    return tuple(map(str, setting))


def _text(figure: object) -> str:
    return f"{figure:.6g}" if isinstance(figure, float) else str(figure)
