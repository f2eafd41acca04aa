"""Play the cells of a plan one by one in this process, with every failure as a record.

A policy is built once and kept for the cells that follow with the same one; every episode has a
new environment.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from coordgym.episodes.episode import Episode, Failure, Timing
from coordgym.episodes.recording import failure_of, versions
from coordgym.episodes.rollout import attempt
from coordgym.errors import EpisodeError
from coordgym.making import close_policy
from coordgym.policies.protocol import Policy
from coordgym.runs.planned import Cell, cell_key


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
        started, clock = now(), time.perf_counter()
        try:
            policy = self._build(cell)
            if when_built is not None:
                when_built()
            env = cell.env.make()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return as_played(cell, failed(cell, failure_of(error), started, clock))
        episode = attempt(env, policy, cell.seed, policy_seed=cell.policy_seed, repeat=cell.repeat)
        try:
            env.close()
        except Exception as error:
            episode = replace(episode, failure=episode.failure or failure_of(error))
        return as_played(cell, episode)

    def close(self) -> None:
        """Close the policy that was built last; one that can't be closed is a warning."""
        policy, self._policy = self._policy, None
        try:
            if policy is not None:
                close_policy(policy)
        except Exception as error:
            warnings.warn(f"a policy can't be closed: {error!r:.200}", stacklevel=2)

    def _build(self, cell: Cell) -> Policy:
        """Return the policy of a cell, built unless it is that of the cell before."""
        if self._policy is None or self._planned != cell.policy:
            self.close()  # two models at a time may not fit into memory
            self._policy = cell.policy.build()
            self._planned = cell.policy
        return self._policy


def play_here(cells: Sequence[Cell], began: Callable[[Cell], None]) -> Iterator[Played]:
    """Play the cells in this process, one after the other.

    Args:
        cells: What to play.
        began: Called with each before it is played.
    """
    player = Player()
    try:
        for cell in cells:
            began(cell)
            yield player.play(cell)
    finally:
        player.close()


def now() -> str:
    """Return the time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def failed(cell: Cell, failure: Failure, started: str, clock: float) -> Episode:
    """Record an episode of which nothing is known but how it failed."""
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


def as_played(cell: Cell, episode: Episode) -> Played:
    """Name environment and policy as the plan does, and put the episode into a line.

    What could not be read again would make the whole file unreadable, so each line is read
    before it is written, and one that can't be is the record of a failure.
    """
    named = replace(episode, env_id=cell.env.id, kwargs=cell.env.kwargs, policy=cell.policy.name)
    failure = named.failure
    try:
        line = named.to_line()
        read = Episode.from_line(line, "the record")
        key = cell_key(read.env_id, read.kwargs, read.policy, read.seed, read.repeat)
        if key != cell.key:
            raise EpisodeError(f"the record is of another episode: {key}")
    except Exception as error:
        failure = failure or failure_of(error)
        clock = time.perf_counter() - named.timing.seconds
        line = failed(cell, failure, named.timing.started, clock).to_line()
    return Played(cell, line, failure.type if failure is not None else None)
