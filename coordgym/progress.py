"""The progress bar of an evaluation: episodes, failures, rate and remaining time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[str | None], None]
"""Called after each episode, with the class name of its failure or None."""


@contextmanager
def no_bar() -> Iterator[Advance]:
    """Show nothing."""
    yield lambda failure: None


@contextmanager
def progress_bar(total: int, done: int) -> Iterator[Advance]:
    """Show a bar on stderr.

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
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("episodes", total=total, completed=done, failed="")

        def advance(failure: str | None) -> None:
            nonlocal failures
            failures += failure is not None
            bar.update(task, advance=1, failed=f"{failures} failed" if failures else "")

        yield advance
