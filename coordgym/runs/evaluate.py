"""Run a plan: every episode on disk as soon as it is finished, and a killed run goes on."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from coordgym.episodes.recording import versions
from coordgym.errors import PlanError, require_int
from coordgym.runs.plan import Plan
from coordgym.runs.plan_file import load_plan, plan_of
from coordgym.runs.planned import Cell
from coordgym.runs.player import Played, play_here
from coordgym.runs.progress import Progress, Silence, shown_progress
from coordgym.runs.results import Results, load_results
from coordgym.runs.store import open_store
from coordgym.runs.summary import Row
from coordgym.runs.workers import play_in_workers


def evaluate(
    plan: Plan | Mapping[str, Any] | str | Path,
    out_dir: str | Path,
    *,
    workers: int = 1,
    resume: bool = True,
    timeout: float | None = None,
    retry_failed: bool = False,
    progress: bool = False,
) -> Results:
    """Play every episode of a plan that ``out_dir`` does not hold yet.

    Episodes are appended one by one, each forced to the disk. An episode that raises, runs
    out of time or takes its worker down with it is a record with a ``failure``.

    Args:
        plan: A plan, its data, a YAML file or the name of a plan of the package.
        out_dir: Folder of the results; made if needed.
        workers: Episodes at a time. With 1 and no ``timeout`` they are played in this
            process, else in spawned processes (in a script, call ``evaluate`` under
            ``if __name__ == "__main__":``). Each process builds its own policy.
        resume: Go on with what ``out_dir`` holds; if False, it must hold no episodes.
        timeout: Seconds for one episode. A policy that hangs can only be stopped with its
            process, so a time limit means a worker process even with ``workers=1``.
        retry_failed: Forget failed episodes and play them again.
        progress: Show on stderr a bar with rate, remaining time and what is played now; where
            that is no terminal, a line now and then.

    Returns:
        The figures of all episodes on disk.

    Raises:
        PlanError: If the plan is malformed, or ``out_dir`` holds results of another one or
            can't be written to.
        EpisodeError: If ``out_dir`` holds a damaged record that is not the last.
        OSError: If an episode can't be written, say because the disk is full.
        CoordgymError: If an environment or policy of the plan can't be made.
    """
    checked = _as_plan(plan)
    require_int("workers", workers, 1, 4096)
    _require_timeout(timeout)
    checked.check(workers)
    folder = Path(out_dir).absolute()  # a policy may change the working directory
    with open_store(folder, checked, resume=resume, retry_failed=retry_failed) as store:
        cells = [cell for cell in checked.cells() if cell.key not in store.held]
        if cells:
            _warn_of_other_versions(store.held.values())
        with _progress(len(checked), len(store.held), progress) as told:
            for played in _play(cells, workers, timeout, told):
                store.append(played.line)
                told.ended(played.cell, played.failure)
    return load_results(folder)


def _require_timeout(timeout: float | None) -> None:
    if timeout is None:
        return
    number = not isinstance(timeout, bool) and isinstance(timeout, int | float)
    if not (number and 0 < timeout < math.inf):
        raise PlanError(f"timeout must be > 0 seconds or None for no limit, got {timeout!r}")


def _warn_of_other_versions(rows: Iterable[Row]) -> None:
    """Warn if episodes on disk were recorded by another version of this package."""
    current = versions()["coordgym"]
    others = sorted({row.version or "unknown" for row in rows} - {current})
    if others:
        warnings.warn(
            f"the episodes until now were recorded by coordgym {', '.join(others)}, the others "
            f"will be by {current}; they may not be comparable",
            stacklevel=3,
        )


def _as_plan(plan: Plan | Mapping[str, Any] | str | Path) -> Plan:
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str | Path):
        return load_plan(plan)
    return plan_of(plan)


def _play(
    cells: list[Cell], workers: int, timeout: float | None, progress: Progress
) -> Iterator[Played]:
    if workers == 1 and timeout is None:
        return play_here(cells, progress.began)
    return play_in_workers(cells, workers, timeout, progress.began)


def _progress(total: int, done: int, shown: bool) -> AbstractContextManager[Progress]:
    return shown_progress(total, done) if shown else nullcontext(Silence())
