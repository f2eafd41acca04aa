"""Write to a folder of results: one run at a time, one plan for good, every episode at once."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from coordgym.data import jsonl
from coordgym.episodes.episode import read_episodes, write_episodes
from coordgym.errors import PlanError
from coordgym.runs.plan import UNPLAYED_KEYS, Plan
from coordgym.runs.results import (
    COMPRESSED_FILE,
    CSV_FILE,
    EPISODES_FILE,
    MARKDOWN_FILE,
    PLAN_FILE,
    episodes_path,
    read_plan,
    read_rows,
)
from coordgym.runs.summary import Row

LOCK_FILE = ".lock"
_OWN_FILES = (EPISODES_FILE, COMPRESSED_FILE, PLAN_FILE, MARKDOWN_FILE, CSV_FILE)


class Store(NamedTuple):
    """A folder of results that is open for one run.

    Attributes:
        held: Figures of the episodes that it held when it was opened, by their keys.
        file: Where further episodes are appended.
    """

    held: dict[str, Row]
    file: BinaryIO

    def append(self, line: str) -> None:
        """Append an episode and force it to the disk."""
        jsonl.append_line(self.file, line)


@contextmanager
def open_store(folder: Path, plan: Plan, *, resume: bool, retry_failed: bool) -> Iterator[Store]:
    """Open a folder for the episodes of a plan, and keep other runs out of it.

    Args:
        folder: The folder; made if needed.
        plan: The plan that it holds or is to hold.
        resume: Whether it may hold episodes already.
        retry_failed: Forget the failed ones among them.

    Raises:
        PlanError: If it holds another plan's results, or can't be written to.
        EpisodeError: If it holds a damaged record that is not the last.
    """
    with _file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with _alone_in(folder):
        with _file_errors(folder):
            path = episodes_path(folder, compress=plan.compress)
            _claim(path, plan, resume=resume)
            if retry_failed and path.exists():
                _forget_failed(path)
            held = read_rows(path, plan)
            path.touch()
        with jsonl.appending(path) as file:
            yield Store(held, file)


def discard_results(out_dir: str | Path) -> None:
    """Delete plan, episodes and reports of a folder, and nothing else in it.

    Raises:
        PlanError: If a run is writing to the folder, or something can't be deleted.
    """
    folder = Path(out_dir).absolute()
    if _is_folder(folder):
        with _alone_in(folder), _file_errors(folder):
            for name in _OWN_FILES:
                (folder / name).unlink(missing_ok=True)


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
def _alone_in(folder: Path) -> Iterator[None]:
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
        old, fingerprint = read_plan(folder)
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


def _what_changed(old: Plan, new: Plan) -> str:
    before, after = old.to_data(), new.to_data()
    played = [key for key in before if key not in UNPLAYED_KEYS]
    changed = [key for key in played if before[key] != after[key]]
    return f"different: {', '.join(changed)}" if changed else "edited by hand"


def _forget_failed(path: Path) -> None:
    write_episodes(path, (episode for episode in read_episodes(path) if episode.failure is None))
