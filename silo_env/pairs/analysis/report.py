"""The report of the tax: tables from a folder of results, and the files that hold them.

``tax_report`` goes the whole way: folders, results and their tables; conversations, labels and what
is made of these. Folders are read once.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from coordgym.data.tables import Table, to_csv, to_markdown
from coordgym.errors import CoordgymError, EpisodeError, PlanError
from coordgym.runs.results import PLAN_FILE, Results, load_results
from coordgym.silo_env.pairs.analysis.conversations.conversation import (
    Conversation,
    read_conversations,
)
from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk
from coordgym.silo_env.pairs.analysis.failures.extraction_tables import (
    Reading,
    dialogue_log,
    extraction_tables,
    read_answers,
)
from coordgym.silo_env.pairs.analysis.failures.stages import is_labelled, label_all, stage_tables
from coordgym.silo_env.pairs.analysis.models.clusters import failure_table
from coordgym.silo_env.pairs.analysis.models.features import cell_shapes
from coordgym.silo_env.pairs.analysis.models.ridge import ridge_tables
from coordgym.silo_env.pairs.analysis.scores.results import Figure, PairResult, from_results
from coordgym.silo_env.pairs.analysis.scores.tables import by_setting, tax_tables
from coordgym.silo_env.pairs.analysis.scores.tax import tax_cells

_PREFIXES: dict[Figure, str] = {"score": "tax", "exact": "tax-exact"}
"""How the names of files begin; those of the two figures stand beside each other."""
_KINDS = (
    "models", "tasks", "games", "mixed", "additive-null", "clauses", "stages", "stages-fired",
    "stages-overlap", "ridge", "ridge-weights", "failures", "extraction", "extraction-tasks",
    "extraction-dialogues",
)  # fmt: skip
_OWN_FILE = re.compile(rf"(?:{'|'.join(_KINDS)})(?:-\d+)?\.csv")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a report holds.

    Attributes:
        figure: What counts: scores, or optimal answers.
        stages: Whether it says what goes wrong in conversations.
        ridge: Whether it predicts the tax from conversations.
        failures: Whether it groups failed conversations.
        extract_with: The model that reads the answers of all conversations again, if one does.
        describe_with: The model that describes and names failures; None: rules do.
    """

    figure: Figure = "score"
    stages: bool = False
    ridge: bool = False
    failures: bool = False
    extract_with: str | None = None
    describe_with: str | None = None

    @property
    def models(self) -> list[str]:
        """The models that are asked, each once."""
        return list(dict.fromkeys(filter(None, (self.extract_with, self.describe_with))))


@dataclass(slots=True)
class TaxReport:
    """What was found, and where it was written.

    Attributes:
        tables: Tables to be read.
        missing: Episodes of the plans that have not been played.
        failed: Episodes that failed.
        long: Tables that are too long to be read.
        not_made: Titles of the tables that can't be made of these results.
        written: The files.
        removed: Files of an earlier run that this one doesn't write.
    """

    tables: list[Table]
    missing: int
    failed: int
    long: list[Table] = field(default_factory=list)
    not_made: list[str] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)
    removed: list[Path] = field(default_factory=list)

    @contextmanager
    def noting(self, title: str) -> Iterator[None]:
        """Put a note in the place of tables that can't be made."""
        try:
            yield
        except CoordgymError as error:
            self.tables.append(Table("", title, (), (), f"Not made: {error}"))
            self.not_made.append(title)


def tax_report(
    folder: str | Path,
    wanted: Wanted,
    asked: Callable[[str], CachedAsk],
    show: Callable[[TaxReport], None],
) -> TaxReport:
    """Make the tables of a folder of results and write them into it.

    Args:
        folder: The results, or folders of results.
        wanted: What to make.
        asked: Makes the model of a name; its replies are worth keeping.
        show: Is given the report once it is written, whatever a model does, since the rest is
            worth showing.

    Raises:
        PlanError: There are no results.
        EpisodeError: None of them are of models both alone and as a pair.
    """
    folders = load_folders(folder)
    results = from_results(folders)
    report = TaxReport(
        tax_tables(results, wanted.figure),
        missing=sum(each.missing for each in folders),
        failed=sum(row.failure is not None for each in folders for row in each.rows),
    )
    if not report.tables:
        raise EpisodeError(f"{folder} has no finished pair episodes both alone and as a pair")
    models = {name: asked(name) for name in wanted.models}
    is_whole = False
    try:
        _add_conversations(report, folders, results, wanted, models)
        is_whole = not report.not_made
    finally:
        # First the files: whoever reads the output may stop reading, as ``head`` does.
        report.written = write_tables(report.tables, folder, report.long, wanted.figure)
        if is_whole:
            report.removed = remove_older_tables(folder, report.written, wanted.figure)
        show(report)
    return report


def _add_conversations(
    report: TaxReport,
    folders: Sequence[Results],
    results: Sequence[PairResult],
    wanted: Wanted,
    models: Mapping[str, CachedAsk],
) -> None:
    """Add what is made of conversations."""
    conversations: list[Conversation] | None = None
    if wanted.extract_with:
        with report.noting("Answers read by a model"):
            conversations = read_conversations(folders)
            readings = read_answers(conversations, models[wanted.extract_with])
            report.tables += model_reading_tables(readings, models[wanted.extract_with].model)
            report.long.append(dialogue_log(readings))
    if not (wanted.stages or wanted.ridge or wanted.failures):
        return
    if conversations is None:
        conversations = read_conversations(folders, is_labelled)
    labelled = label_all(conversations)
    if wanted.stages:
        report.tables += stage_tables(labelled)
    if wanted.ridge:
        with report.noting("Ratios predicted from the shape of conversations"):
            cells = tax_cells(results, figure=wanted.figure)
            report.tables += ridge_tables(cell_shapes(labelled, cells), wanted.figure)
    if wanted.failures:
        with report.noting("Kinds of failed dialogues"):
            describer = models[wanted.describe_with] if wanted.describe_with else None
            report.tables.append(failure_table(labelled, describer))


def load_folders(folder: str | Path) -> list[Results]:
    """Return the results in a folder, or else in its subfolders.

    Raises:
        PlanError: There are none.
    """
    root = Path(folder)
    if (root / PLAN_FILE).is_file():
        return [load_results(root)]
    found = sorted(path.parent for path in root.glob(f"*/{PLAN_FILE}"))
    if not found:
        raise PlanError(f"{root} holds no results, nor does a folder in it")
    return [load_results(path) for path in found]


def model_reading_tables(readings: Iterable[Reading], model: str) -> list[Table]:
    """Make the tables of answers that a model read beside those found, for each setting."""
    return by_setting(
        readings,
        lambda reading: reading.conversation.setting,
        lambda group: extraction_tables(group, model),
    )


def write_tables(
    tables: Sequence[Table],
    folder: str | Path,
    long: Sequence[Table] = (),
    figure: Figure = "score",
) -> list[Path]:
    """Write one Markdown file, and a CSV file for each table; return their paths.

    Args:
        tables: Tables to be read.
        folder: Where to.
        long: Tables that are too long for that; they only become CSV files.
        figure: Of the tables; the names of files with exact figures begin with "tax-exact".
    """
    target = Path(folder)
    prefix = _PREFIXES[figure]
    markdown = target / f"{prefix}.md"
    heading = "# Collaboration tax" if figure == "score" else "# Collaboration tax, optimal answers"
    markdown.write_text(f"{heading}\n\n{to_markdown(tables)}", encoding="utf-8")
    written = [markdown]
    for table in (*tables, *long):
        if table.columns:
            path = target / f"{prefix}{table.name.removeprefix(_PREFIXES['score'])}.csv"
            path.write_text(to_csv(table), encoding="utf-8")
            written.append(path)
    return written


def remove_older_tables(
    folder: str | Path, written: Sequence[Path], figure: Figure = "score"
) -> list[Path]:
    """Remove the tables that an earlier run wrote and this one did not; return their paths.

    Args:
        folder: Where tables were written.
        written: What ``write_tables`` returned.
        figure: Tables of the other figure stay.
    """
    start = f"{_PREFIXES[figure]}-"
    older = [
        path
        for path in sorted(Path(folder).glob(f"{start}*.csv"))
        if path not in written and _OWN_FILE.fullmatch(path.name.removeprefix(start))
    ]
    for path in older:
        path.unlink()
    return older
