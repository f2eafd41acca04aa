"""Play the cells of a plan: in this process, or in worker processes that can be stopped.

Only a process can be stopped from outside, so a time limit always means worker processes.
A worker builds a policy once and keeps it for the cells that follow with the same one; it
makes a new environment for every episode. Workers are spawned, never forked, so that a
model or a server connection of the parent is not shared by accident.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from coordgym.episode import Episode, Failure, Timing
from coordgym.errors import CoordgymError, EpisodeError
from coordgym.plan import Cell
from coordgym.policy import Policy

SETUP_SECONDS = 600.0
"""With a time limit, what a worker may take to start and to build a policy (load a model)."""
_POLL_SECONDS = 0.25
_READY, _PLAYING, _DONE = "ready", "playing", "done"


class Played(NamedTuple):
    """One played cell: its record as a line of JSON, and why it failed if it did."""

    cell: Cell
    line: str
    failure: str | None


class Player:
    """Plays cells one by one and keeps the last policy that it built."""

    def __init__(self) -> None:
        self._planned: object = None
        self._policy: Policy | None = None

    def play(self, cell: Cell, when_built: Callable[[], None] | None = None) -> Played:
        """Play a cell; whatever goes wrong becomes part of the record.

        Args:
            cell: What to play.
            when_built: Called once the policy is built and the episode is about to begin.
        """
        from coordgym.recording import failure_of
        from coordgym.rollout import attempt

        started, clock = _now(), time.perf_counter()
        try:
            policy = self._build(cell)
            if when_built is not None:
                when_built()
            env = cell.env.make()
        except (Exception, SystemExit) as error:
            return _as_played(cell, _failed(cell, failure_of(error), started, clock))
        episode = attempt(env, policy, cell.seed, policy_seed=cell.policy_seed, repeat=cell.repeat)
        try:
            env.close()
        except Exception as error:
            episode = replace(episode, failure=episode.failure or failure_of(error))
        return _as_played(cell, episode)

    def _build(self, cell: Cell) -> Policy:
        """The policy of a cell, built unless it is that of the cell before."""
        if self._policy is None or self._planned != cell.policy:
            self._policy = None  # two models at a time may not fit into memory
            self._policy = cell.policy.build()
            self._planned = cell.policy
        return self._policy


def play_here(cells: Sequence[Cell]) -> Iterator[Played]:
    """Play the cells in this process, one after the other."""
    player = Player()
    for cell in cells:
        yield player.play(cell)


def play_in_workers(cells: Sequence[Cell], workers: int, timeout: float | None) -> Iterator[Played]:
    """Play the cells in spawned processes and yield them as they are finished.

    Args:
        cells: What to play.
        workers: Most processes at a time.
        timeout: Seconds for one episode; a worker that needs longer is killed and replaced.

    Raises:
        CoordgymError: If worker processes can't be started at all.
    """
    waiting = deque(cells)
    team = [_Worker(workers) for _ in range(min(workers, len(waiting)))]
    try:
        while waiting or any(worker.cell is not None for worker in team):
            for worker in team:
                if worker.cell is None and waiting:
                    worker.give(waiting.popleft(), timeout)
            connection.wait(
                [thing for worker in team for thing in worker.signals()], timeout=_POLL_SECONDS
            )
            for worker in team:
                if worker.cell is not None and (played := worker.poll(timeout)) is not None:
                    yield played
    finally:
        for worker in team:
            worker.stop()


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
            self._process.start()
            theirs.close()
            self._ready = False
        self.cell = cell
        self._started, self._clock = _now(), time.perf_counter()
        self._enter("starting" if not self._ready else "building the policy", timeout)
        with suppress(OSError):  # it may have died meanwhile; poll() finds out
            self._connection().send(cell)

    def signals(self) -> list[Any]:
        """What to wait for: a message, or the end of the process."""
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
        return _as_played(cell, _failed(cell, failure, self._started, self._clock))


def _work(pipe: "Connection[Any, Any]", threads: int) -> None:
    """Main loop of a worker process."""
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    player = Player()
    pipe.send((_READY, "", None))
    while True:
        try:
            cell = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        played = player.play(cell, lambda: pipe.send((_PLAYING, "", None)))
        pipe.send((_DONE, played.line, played.failure))


def _end_with_parent() -> None:
    """Leave when the parent is gone, also out of a policy that hangs."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _failed(cell: Cell, failure: Failure, started: str, clock: float) -> Episode:
    """Record of an episode of which nothing is known but how it failed."""
    from coordgym.recording import versions

    return Episode(
        env_id=cell.env.id,
        kwargs=cell.env.kwargs,
        seed=cell.seed,
        policy=cell.policy.name,
        policy_seed=cell.policy_seed,
        repeat=cell.repeat,
        timing=Timing(started, time.perf_counter() - clock),
        versions=versions(),
        failure=failure,
    )


def _as_played(cell: Cell, episode: Episode) -> Played:
    """Name environment and policy as the plan does, and put the episode into a line."""
    named = replace(episode, env_id=cell.env.id, kwargs=cell.env.kwargs, policy=cell.policy.name)
    failure = named.failure
    try:
        line = named.to_line()
    except EpisodeError as error:
        failure = Failure("EpisodeError", str(error))
        line = _failed(cell, failure, named.timing.started, time.perf_counter()).to_line()
    return Played(cell, line, failure.type if failure is not None else None)
