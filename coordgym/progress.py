"""The progress bar of an evaluation: episodes, failures, rate and remaining time."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS_BETWEEN_LINES = 20.0

Advance = Callable[[str | None], None]
"""Called after each episode, with the class name of its failure or None."""


@contextmanager
def no_bar() -> Iterator[Advance]:
    """Show nothing."""
    yield lambda failure: None


def _lines(total: int, done: int) -> Advance:
    """Report to a stderr that is no terminal: a line now and then instead of a bar."""
    start = told = time.monotonic()
    failures, played = 0, done

    def advance(failure: str | None) -> None:
        nonlocal told, failures, played
        played += 1
        failures += failure is not None
        now = time.monotonic()
        if now - told >= SECONDS_BETWEEN_LINES:
            told = now
            broken = f", {failures} failed" if failures else ""
            print(f"{played} of {total} episodes{broken}, {now - start:.0f} s", file=sys.stderr)

    return advance


@contextmanager
def progress_bar(total: int, done: int) -> Iterator[Advance]:
    """Show a bar on stderr; where that is no terminal, a line now and then.

    Args:
        total: Episodes of the plan.
        done: Episodes that a run before has finished; they don't count for the rate.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Episodes per minute since this run began."""

        def render(self, task: Task) -> Text:
            elapsed = task.elapsed or 0.0
            played = task.completed - done
            rate = f"{60 * played / elapsed:.1f}/min" if elapsed and played else "–/min"
            return Text(rate, style="progress.data.speed")

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(total, done)
        return
    failures = 0
    columns = (
        TextColumn("episodes"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("episodes", total=total, completed=done, failed="")

        def advance(failure: str | None) -> None:
            nonlocal failures
            failures += failure is not None
            bar.update(task, advance=1, failed=f"{failures} failed" if failures else "")

        yield advance
