"""Play the cells of a plan in worker processes, several at a time, which can be stopped.

Only a process can be stopped from outside, so a time limit always means worker processes.
Workers are spawned, never forked, so that a model or a server connection of the parent is not
shared by accident. An interrupt from the keyboard reaches all processes of a terminal; only the
parent heeds it, and ends the others.
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any

from coordgym.episodes.episode import Failure
from coordgym.episodes.recording import failure_of
from coordgym.errors import CoordgymError
from coordgym.runs.planned import Cell
from coordgym.runs.player import Played, Player, as_played, failed, now

SETUP_SECONDS = 600.0
"""With a time limit, what a worker may take to start and to build a policy (load a model)."""
CLOSE_SECONDS = 30.0
"""What workers may take at the end to close their policies."""
_POLL_SECONDS = 0.25
_READY, _PLAYING, _DONE, _CLOSED = "ready", "playing", "done", "closed"


def play_in_workers(
    cells: Sequence[Cell], workers: int, timeout: float | None, began: Callable[[Cell], None]
) -> Iterator[Played]:
    """Play the cells in spawned processes and yield them as they are finished.

    Args:
        cells: What to play.
        workers: Most processes at a time.
        timeout: Seconds for one episode; a worker that needs longer is killed and replaced.
        began: Called with each cell when a worker gets it.

    Raises:
        CoordgymError: If worker processes can't be started at all.
    """
    waiting = deque(cells)
    team = [_Worker(workers) for _ in range(min(workers, len(waiting)))]
    try:
        while waiting or any(worker.cell is not None for worker in team):
            for worker in team:
                if worker.cell is None and waiting:
                    began(waiting[0])
                    worker.give(waiting.popleft(), timeout)
            connection.wait(
                [thing for worker in team for thing in worker.signals()], timeout=_POLL_SECONDS
            )
            for worker in team:
                if worker.cell is not None and (played := worker.poll(timeout)) is not None:
                    yield played
        _let_leave(team)
    finally:
        for worker in team:
            worker.stop()


def _let_leave(team: "Sequence[_Worker]") -> None:
    """Give workers some time to close their policies."""
    for worker in team:
        worker.dismiss()
    deadline = time.monotonic() + CLOSE_SECONDS
    for worker in team:
        worker.wait_closed(max(0.0, deadline - time.monotonic()))


class _Worker:
    """The parent's side of one worker process; started when it is first given a cell."""

    def __init__(self, workers: int) -> None:
        self.cell: Cell | None = None
        self._threads = max(1, (os.cpu_count() or 1) // workers)
        self._process: Any = None
        self._pipe: Connection[Any, Any] | None = None
        self._ready = False
        self._deadline: float | None = None
        self._phase = ""
        self._started = ""
        self._clock = 0.0

    def give(self, cell: Cell, timeout: float | None) -> None:
        """Let the worker play a cell."""
        if self._process is None:
            context = get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=_work, args=(theirs, self._threads), daemon=True, name="coordgym-worker"
            )
            with _interrupts_held():
                self._process.start()
            theirs.close()
            self._ready = False
        self.cell = cell
        self._started, self._clock = now(), time.perf_counter()
        self._enter("starting" if not self._ready else "building the policy", timeout)
        with suppress(OSError):  # it may have died meanwhile; poll() finds out
            self._connection().send(cell)

    def signals(self) -> list[Any]:
        """List what to wait for: a message, or the end of the process."""
        if self.cell is None:
            return []
        return [self._connection(), self._process.sentinel]

    def poll(self, timeout: float | None) -> Played | None:
        """Take the worker's messages; the result, if its cell is finished or given up."""
        cell = self.cell
        if cell is None:
            return None
        try:
            while self._connection().poll():
                kind, line, failure = self._connection().recv()
                if kind == _DONE:
                    self.cell = None
                    return Played(cell, line, failure)
                self._ready = True
                self._enter("playing" if kind == _PLAYING else "building the policy", timeout)
        except (EOFError, OSError):
            return self._died(cell)
        if not self._process.is_alive():
            return self._died(cell)
        if self._deadline is not None and time.monotonic() > self._deadline:
            return self._too_slow(cell, timeout)
        return None

    def dismiss(self) -> None:
        """Tell the process that there is nothing more to play."""
        if self._process is not None:
            with suppress(OSError):
                self._connection().send(None)

    def wait_closed(self, seconds: float) -> None:
        """Wait until the process has closed its policy, not longer than ``seconds``."""
        if self._process is not None:
            with suppress(OSError):
                self._connection().poll(seconds)

    def stop(self) -> None:
        """End the process at once; without effect if there is none."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection().close()
        self._process = self._pipe = self.cell = None

    def _enter(self, phase: str, timeout: float | None) -> None:
        self._phase = phase
        if timeout is not None:
            allowed = timeout if phase == "playing" else max(timeout, SETUP_SECONDS)
            self._deadline = time.monotonic() + allowed

    def _connection(self) -> "Connection[Any, Any]":
        if self._pipe is None:
            raise RuntimeError("the worker has not been started")
        return self._pipe

    def _died(self, cell: Cell) -> Played:
        self._process.join()
        code = self._process.exitcode
        ready = self._ready
        self.stop()
        if not ready:
            raise CoordgymError(
                f"worker processes can't start (exit code {code}); in a script, call evaluate "
                "under \"if __name__ == '__main__':\", since workers import the script"
            )
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        message = f"the worker process ended {how} while {self._phase}"
        return self._gave_up(cell, Failure("WorkerDied", message))

    def _too_slow(self, cell: Cell, timeout: float | None) -> Played:
        self.stop()
        limit = timeout if self._phase == "playing" else SETUP_SECONDS
        message = f"not finished after {limit:g} s of {self._phase}"
        return self._gave_up(cell, Failure("TimeoutError", message))

    def _gave_up(self, cell: Cell, failure: Failure) -> Played:
        return as_played(cell, failed(cell, failure, self._started, self._clock))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back interrupts from the keyboard; a process started meanwhile is born deaf to them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore_interrupts() -> None:
    """Leave interrupts from the keyboard to the parent.

    By a handler that does nothing, since processes that a policy starts would inherit an
    ignored or blocked signal, but not a handler.
    """
    signal.signal(signal.SIGINT, lambda number, frame: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(pipe: "Connection[Any, Any]", threads: int) -> None:
    """Play what the parent sends until there is no more: a worker's main loop."""
    _ignore_interrupts()
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    player = Player()
    pipe.send((_READY, "", None))
    while (cell := _next_cell(pipe)) is not None:
        played = _play_to_the_end(player, cell, lambda: pipe.send((_PLAYING, "", None)))
        pipe.send((_DONE, played.line, played.failure))
    player.close()
    pipe.send((_CLOSED, "", None))


def _next_cell(pipe: "Connection[Any, Any]") -> Cell | None:
    try:
        cell: Cell | None = pipe.recv()
    except EOFError:
        return None
    return cell


def _play_to_the_end(player: Player, cell: Cell, when_built: Callable[[], None]) -> Played:
    """Play a cell; in a worker, ``KeyboardInterrupt`` too can only be the policy's own."""
    started, clock = now(), time.perf_counter()
    try:
        return player.play(cell, when_built)
    except KeyboardInterrupt as error:
        return as_played(cell, failed(cell, failure_of(error), started, clock))


def _end_with_parent() -> None:
    """Leave when the parent is gone, also out of a policy that hangs."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
