"""What an evaluation shows while it runs: episodes, failures, rate, and what is played now."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from coordgym.runs.planned import Cell

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

SECONDS_BETWEEN_LINES = 20.0
_CLOCK = "coordgym-progress"


class Progress(Protocol):
    """Is told what happens."""

    def began(self, cell: Cell) -> None:
        """Take note that an episode is about to be played."""

    def ended(self, cell: Cell, failure: str | None) -> None:
        """Take note that one was played; ``failure`` is the class name of its failure or None."""


class Silence:
    """Shows nothing."""

    def began(self, cell: Cell) -> None:
        """Show nothing."""

    def ended(self, cell: Cell, failure: str | None) -> None:
        """Show nothing."""


class _Count:
    """Counts episodes and knows which are being played."""

    def __init__(self, total: int, done: int) -> None:
        self.total = total
        self.done = done
        self.failures = 0
        self._playing: dict[str, Cell] = {}

    def began(self, cell: Cell) -> None:
        self._playing[cell.key] = cell

    def ended(self, cell: Cell, failure: str | None) -> None:
        self._playing.pop(cell.key, None)
        self.done += 1
        self.failures += failure is not None

    @property
    def broken(self) -> str:
        """How many failed; empty if none did."""
        return f"{self.failures} failed" if self.failures else ""

    @property
    def now(self) -> str:
        """The episode that is played longest, and how many besides; empty if none is."""
        playing = list(self._playing.values())  # a copy, since another thread may ask
        if not playing:
            return ""
        more = f" and {len(playing) - 1} more" if len(playing) > 1 else ""
        return f"{playing[0].label}{more}"


class Lines(_Count):
    """A line on a stderr that is no terminal: at once, then now and then if there is news."""

    def __init__(self, total: int, done: int) -> None:
        super().__init__(total, done)
        self._start = time.monotonic()
        self._told: tuple[int, str] | None = None

    def began(self, cell: Cell) -> None:
        """Take note of it, and write the first line."""
        super().began(cell)
        if self._told is None:
            self.tell()

    def tell(self) -> None:
        """Write a line unless nothing has changed since the last."""
        now = self.now
        if self._told == (self.done, now):
            return
        self._told = self.done, now
        seconds = time.monotonic() - self._start
        parts = (f"{self.done} of {self.total} episodes", self.broken, f"{seconds:.0f} s")
        line = ", ".join(filter(None, parts)) + (f"; now {now}" if now else "")
        print(line, file=sys.stderr, flush=True)


class _Bar(_Count):
    """A bar on a terminal, and below it what is played now."""

    def __init__(self, total: int, done: int, bar: "RichProgress") -> None:
        super().__init__(total, done)
        self._bar = bar
        self._task = bar.add_task("episodes", total=total, completed=done, failed="", now="")

    def began(self, cell: Cell) -> None:
        super().began(cell)
        self._bar.update(self._task, now=self.now)

    def ended(self, cell: Cell, failure: str | None) -> None:
        super().ended(cell, failure)
        self._bar.update(self._task, advance=1, failed=self.broken, now=self.now)


@contextmanager
def shown_progress(total: int, done: int) -> Iterator[Progress]:
    """Show a bar on stderr; where that is no terminal, a line now and then.

    Args:
        total: Episodes of the plan.
        done: Episodes that a run before has finished; they don't count for the rate.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with _rich_bar(console, done) as bar:
            yield _Bar(total, done, bar)
        return
    lines = Lines(total, done)
    with told_every(SECONDS_BETWEEN_LINES, lines.tell):
        yield lines


@contextmanager
def told_every(seconds: float, tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` now and then, in a thread of its own, since what one waits for may take long.

    Args:
        seconds: How long between calls, and before the first.
        tell: What to call.
    """
    over = threading.Event()

    def tell_until_over() -> None:
        while not over.wait(seconds):
            tell()

    clock = threading.Thread(target=tell_until_over, name=_CLOCK, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()


def _rich_bar(console: Any, done: int) -> "RichProgress":
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

    class BarAndNow(Progress):
        """A bar with a second line of its own."""

        def get_renderables(self) -> Iterator[Any]:
            yield from super().get_renderables()
            for task in self.tasks:
                if now := task.fields["now"]:
                    yield Text(f"now {now}", style="dim", no_wrap=True, overflow="ellipsis")

    return BarAndNow(
        TextColumn("episodes"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
        console=console,
    )
