"""Run a plan: every episode on disk as soon as it is finished, and a killed run goes on.

A folder of results holds ``plan.json`` (the plan and its fingerprint) and ``episodes.jsonl``
(one episode a line, in the order in which they were finished) or, compressed,
``episodes.jsonl.gz``. It keeps the form that it began with.
"""

import json
import math
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coordgym.data import jsonl
from coordgym.episodes.episode import Episode, read_episodes, write_episodes
from coordgym.episodes.recording import versions
from coordgym.errors import PlanError, require_int
from coordgym.runs.plan import UNPLAYED_KEYS, Cell, Plan, cell_key
from coordgym.runs.plan_file import load_plan, plan_of

if TYPE_CHECKING:
    from coordgym.runs.player import Played
    from coordgym.runs.progress import Progress
    from coordgym.runs.report import Summary

EPISODES_FILE = "episodes.jsonl"
COMPRESSED_FILE = "episodes.jsonl.gz"
PLAN_FILE = "plan.json"
LOCK_FILE = ".lock"


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one episode; its texts stay on the disk.

    Attributes:
        cell: Which episode of the plan.
        failure: Class name of what ended it; None if it was finished.
        metrics: The environment's metrics.
        mean_return: Mean over the agents of their summed rewards.
        seconds: Wall time.
        prompt_tokens: Tokens that language models read; None without any.
        completion_tokens: Tokens that they wrote; None without any.
        version: Version of coordgym that recorded it; empty if it does not say.
    """

    cell: Cell
    failure: str | None
    metrics: dict[str, Any]
    mean_return: float | None
    seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    version: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """What a folder of results holds.

    Attributes:
        out_dir: The folder.
        plan: The plan that was run.
        rows: Figures of all episodes on disk, in the order of the plan.
    """

    out_dir: Path
    plan: Plan
    rows: tuple[Row, ...]

    @property
    def missing(self) -> int:
        """Number of episodes of the plan that have not been played."""
        return len(self.plan) - len(self.rows)

    def episodes(self) -> Iterator[Episode]:
        """Read the complete episodes, in the order in which they were finished."""
        return read_episodes(episodes_path(self.out_dir))

    def summaries(self) -> "list[Summary]":
        """Means, spreads and intervals for each environment and policy."""
        from coordgym.runs.report import summarize

        return summarize(self)


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
    with _file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        with _file_errors(folder):
            path = episodes_path(folder, compress=checked.compress)
            _claim(path, checked, resume=resume)
            if retry_failed and path.exists():
                _forget_failed(path)
            held = _rows(path, checked)
            path.touch()
        cells = [cell for cell in checked.cells() if cell.key not in held]
        if cells:
            _warn_of_other_versions(held.values())
        with jsonl.appending(path) as file, _progress(len(checked), len(held), progress) as told:
            for played in _play(cells, workers, timeout, told):
                jsonl.append_line(file, played.line)
                told.ended(played.cell, played.failure)
    return load_results(folder)


def _require_timeout(timeout: float | None) -> None:
    if timeout is None:
        return
    number = not isinstance(timeout, bool) and isinstance(timeout, int | float)
    if not (number and 0 < timeout < math.inf):
        raise PlanError(f"timeout must be > 0 seconds or None for no limit, got {timeout!r}")


def load_results(out_dir: str | Path) -> Results:
    """Read a folder of results, also one of a run that has not ended.

    Raises:
        PlanError: If the folder holds no plan, an episode that is not in it, or one twice.
        EpisodeError: If a record other than the last is damaged.
    """
    folder = Path(out_dir).absolute()
    plan, _ = _read_plan(folder)
    rows = _rows(episodes_path(folder), plan)
    return Results(folder, plan, tuple(rows[c.key] for c in plan.cells() if c.key in rows))


def episodes_path(folder: Path, *, compress: bool = False) -> Path:
    """Return the file of episodes that a folder holds.

    Args:
        folder: The folder of results.
        compress: Which file it is to hold if it holds none.

    Raises:
        PlanError: If it holds two.
    """
    files = (folder / EPISODES_FILE, folder / COMPRESSED_FILE)
    held = [path for path in files if path.exists() and path.stat().st_size > 0]
    if len(held) > 1:
        raise PlanError(f"{folder} holds {' and '.join(path.name for path in held)}; delete one")
    return held[0] if held else files[compress]


def discard_results(out_dir: str | Path) -> None:
    """Delete plan, episodes and reports of a folder, and nothing else in it.

    Raises:
        PlanError: If a run is writing to the folder, or something can't be deleted.
    """
    folder = Path(out_dir).absolute()
    if _is_folder(folder):
        with _locked(folder), _file_errors(folder):
            for name in (EPISODES_FILE, COMPRESSED_FILE, PLAN_FILE, "report.md", "report.csv"):
                (folder / name).unlink(missing_ok=True)


def _as_plan(plan: Plan | Mapping[str, Any] | str | Path) -> Plan:
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str | Path):
        return load_plan(plan)
    return plan_of(plan)


def _play(
    cells: list[Cell], workers: int, timeout: float | None, progress: "Progress"
) -> "Iterator[Played]":
    if workers == 1 and timeout is None:
        from coordgym.runs.player import play_here

        return play_here(cells, progress.began)
    from coordgym.runs.workers import play_in_workers

    return play_in_workers(cells, workers, timeout, progress.began)


@contextmanager
def _file_errors(folder: Path) -> Iterator[None]:
    """Say in one sentence why a folder can't hold results."""
    try:
        yield
    except OSError as error:
        where = Path(error.filename or folder)
        which = "" if where == folder else f"{where.name}: "
        raise PlanError(f"{folder} can't hold results: {which}{error.strerror}") from error


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that no file can have
        return False


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder; the lock goes with the process, however it ends."""
    with _file_errors(folder):
        file = (folder / LOCK_FILE).open("wb")
    with file:
        try:
            import fcntl
        except ImportError:  # Windows has no flock; there, runs are not kept apart
            yield
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PlanError(f"another run is writing to {folder}") from None
        yield


def _claim(path: Path, plan: Plan, *, resume: bool) -> None:
    """Make the folder of this file of episodes hold this plan, or refuse."""
    folder = path.parent
    jsonl.drop_torn_end(path)
    held = path.exists() and path.stat().st_size > 0
    if held and not resume:
        raise PlanError(f"{folder} already holds episodes; resume, or choose another folder")
    if held:
        old, fingerprint = _read_plan(folder)
        if fingerprint != plan.fingerprint():
            raise PlanError(
                f"{folder} holds results of another plan ({_what_changed(old, plan)}); "
                "choose another folder, or delete this one"
            )
        return
    text = json.dumps({"fingerprint": plan.fingerprint(), **plan.to_data()}, indent=1)
    temporary = folder / f"{PLAN_FILE}.new"
    temporary.write_text(text + "\n", encoding="utf-8")
    os.replace(temporary, folder / PLAN_FILE)


def _read_plan(folder: Path) -> tuple[Plan, str]:
    path = folder / PLAN_FILE
    try:
        data = jsonl.loads_bytes(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise PlanError(f"{folder} holds no results: {PLAN_FILE} is missing") from None
    except OSError as error:
        raise PlanError(f"{folder} holds no results: {PLAN_FILE}: {error.strerror}") from None
    if not isinstance(data, dict) or not isinstance(data.get("fingerprint"), str):
        raise PlanError(f"{path} is not a plan of this package")
    fingerprint = data.pop("fingerprint")
    return plan_of(data, str(path)), fingerprint


def _what_changed(old: Plan, new: Plan) -> str:
    before, after = old.to_data(), new.to_data()
    played = [key for key in before if key not in UNPLAYED_KEYS]
    changed = [key for key in played if before[key] != after[key]]
    return f"different: {', '.join(changed)}" if changed else "edited by hand"


def _rows(path: Path, plan: Plan) -> dict[str, Row]:
    """Read the episodes on disk by their keys; a last one that is not whole is left out."""
    cells = {cell.key: cell for cell in plan.cells()}
    rows: dict[str, Row] = {}
    for episode in read_episodes(path, torn=True) if path.exists() else ():
        key = _key_of(episode)
        if key not in cells:
            raise PlanError(f"{path} holds an episode that is not in its plan: {key}")
        if key in rows:
            raise PlanError(f"{path} holds an episode twice: {key}")
        rows[key] = _row(cells[key], episode)
    return rows


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


def _forget_failed(path: Path) -> None:
    write_episodes(path, (episode for episode in read_episodes(path) if episode.failure is None))


def _key_of(episode: Episode) -> str:
    return cell_key(episode.env_id, episode.kwargs, episode.policy, episode.seed, episode.repeat)


def _row(cell: Cell, episode: Episode) -> Row:
    totals = episode.totals()
    returns = list(episode.returns.values())
    return Row(
        cell=cell,
        failure=episode.failure.type if episode.failure is not None else None,
        metrics=episode.metrics,
        mean_return=sum(returns) / len(returns) if returns else None,
        seconds=episode.timing.seconds,
        prompt_tokens=totals.prompt_tokens,
        completion_tokens=totals.completion_tokens,
        version=episode.versions.get("coordgym", ""),
    )


def _progress(total: int, done: int, shown: bool) -> "AbstractContextManager[Progress]":
    from coordgym.runs.progress import Silence, shown_progress

    return shown_progress(total, done) if shown else nullcontext(Silence())
