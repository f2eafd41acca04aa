"""What a folder of results holds: a plan and the figures of its episodes.

A folder of results holds ``plan.json`` (the plan and its fingerprint) and ``episodes.jsonl``
(one episode a line, in the order in which they were finished) or, compressed,
``episodes.jsonl.gz``. It keeps the form that it began with.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coordgym.data import jsonl
from coordgym.episodes.episode import Episode, read_episodes
from coordgym.errors import PlanError
from coordgym.runs.plan import Plan
from coordgym.runs.plan_file import plan_of
from coordgym.runs.planned import cell_key
from coordgym.runs.summary import Row, Summary, row_of, summarize

EPISODES_FILE = "episodes.jsonl"
COMPRESSED_FILE = "episodes.jsonl.gz"
PLAN_FILE = "plan.json"
MARKDOWN_FILE = "report.md"
CSV_FILE = "report.csv"


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

    def summaries(self) -> list[Summary]:
        """Return means, spreads and intervals for each environment and policy."""
        return summarize(self.plan, self.rows)


def load_results(out_dir: str | Path) -> Results:
    """Read a folder of results, also one of a run that has not ended.

    Raises:
        PlanError: If the folder holds no plan, an episode that is not in it, or one twice.
        EpisodeError: If a record other than the last is damaged.
    """
    folder = Path(out_dir).absolute()
    plan, _ = read_plan(folder)
    rows = read_rows(episodes_path(folder), plan)
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


def read_plan(folder: Path) -> tuple[Plan, str]:
    """Read the plan of a folder of results, and the fingerprint that it had.

    Raises:
        PlanError: If the folder holds none.
    """
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


def read_rows(path: Path, plan: Plan) -> dict[str, Row]:
    """Read the figures of the episodes on disk by their keys.

    A last episode that is not whole is left out.

    Raises:
        PlanError: If the file holds an episode that is not in the plan, or one twice.
        EpisodeError: If a record other than the last is damaged.
    """
    cells = {cell.key: cell for cell in plan.cells()}
    rows: dict[str, Row] = {}
    for episode in read_episodes(path, torn=True) if path.exists() else ():
        key = _key_of(episode)
        if key not in cells:
            raise PlanError(f"{path} holds an episode that is not in its plan: {key}")
        if key in rows:
            raise PlanError(f"{path} holds an episode twice: {key}")
        rows[key] = row_of(cells[key], episode)
    return rows


def _key_of(episode: Episode) -> str:
    return cell_key(episode.env_id, episode.kwargs, episode.policy, episode.seed, episode.repeat)
