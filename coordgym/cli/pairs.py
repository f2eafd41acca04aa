"""Commands about the collaboration tax of split-view pairs: tax-plan, tax."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coordgym.cli.options import Kwargs, parse_pairs
from coordgym.errors import CoordgymError, PlanError

if TYPE_CHECKING:
    from coordgym.data.tables import Table
    from coordgym.errors import ModelError
    from coordgym.policies.protocol import Completion
    from coordgym.runs.results import Results
    from coordgym.silo_env.pairs.analysis.failures.asking import Ask, CachedAsk, Chat
    from coordgym.silo_env.pairs.analysis.failures.stages import Labelled
    from coordgym.silo_env.pairs.analysis.scores.results import Figure

SECONDS_BETWEEN_LINES = 15.0
"""How often a line says that a model is waited for."""


def tax_plan(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the plans.")],
    policy: Annotated[
        list[str], typer.Option("--policy", "-p", help="A model; can be given several times.")
    ],
    task: Annotated[
        list[str] | None, typer.Option("--task", help="A task; all of them by default.")
    ] = None,
    seeds: Annotated[str, typer.Option(help="'20' = 0..19, '5..9', '3,' or '1,4,7..9'.")] = "50",
    repeats: Annotated[int, typer.Option(min=1, help="Episodes per seed.")] = 1,
    clauses: Annotated[
        list[str] | None, typer.Option(help="A condition to play too: all, no_l1 … no_l4.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Also pair different models.")] = False,
    one_view: Annotated[
        bool, typer.Option("--one-view", help="Also play with one view alone: the floors.")
    ] = False,
    kwargs: Kwargs = None,
) -> None:
    """Write the plans that measure the collaboration tax of models, for bench to run."""
    from coordgym.runs.plan_file import parse_seeds
    from coordgym.silo_env.pairs.analysis.plans import all_pairs, tax_plans, write_plans

    plans = tax_plans(
        {name: name for name in policy},
        tasks=task,
        seeds=parse_seeds(seeds),
        repeats=repeats,
        pairs=all_pairs(dict.fromkeys(policy)) if mixed else (),
        clauses=clauses or (),
        one_view=one_view,
        kwargs=parse_pairs(kwargs, "--kwargs"),
    )
    for path, plan in zip(write_plans(plans, folder), filter(None, plans), strict=True):
        print(f"{len(plan)} episodes: coordgym bench {path} --out {folder / path.stem}")
    print(f"then: coordgym tax {folder}")


def tax(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of results, or of such folders.")
    ],
    exact: Annotated[
        bool, typer.Option("--exact", help="Count optimal answers instead of scores.")
    ] = False,
    stages: Annotated[
        bool, typer.Option("--stages", help="Also label what goes wrong in the conversations.")
    ] = False,
    ridge: Annotated[
        bool, typer.Option("--ridge", help="Also predict the tax from conversations.")
    ] = False,
    failures: Annotated[
        bool, typer.Option("--failures", help="Also group the failed conversations.")
    ] = False,
    describe_with: Annotated[
        str | None,
        typer.Option(
            metavar="LLM", help="Model that describes and names failures: llm:openai:MODEL@URL."
        ),
    ] = None,
    extract_with: Annotated[
        str | None,
        typer.Option(metavar="LLM", help="Model that reads the answers again, for comparison."),
    ] = None,
    model_kwargs: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Argument of those models.")
    ] = None,
) -> None:
    """Print the tables of the collaboration tax and write tax.md and tax-*.csv into the folder.

    With --exact, tax-exact.md and tax-exact-*.csv.

    Replies of models are kept in replies.jsonl there: the same command again asks only for those
    that are missing.
    """
    from coordgym.errors import EpisodeError
    from coordgym.silo_env.pairs.analysis.failures.stages import label_results, stage_tables
    from coordgym.silo_env.pairs.analysis.report import load_folders, tax_tables
    from coordgym.silo_env.pairs.analysis.scores.results import from_results

    if describe_with and not failures:
        raise PlanError("--describe-with goes with --failures")
    if model_kwargs and not (describe_with or extract_with):
        raise PlanError("--model-kwargs goes with --describe-with or --extract-with")
    figure: Figure = "exact" if exact else "score"
    folders = load_folders(folder)
    found = _Found(tax_tables(from_results(folders), figure))
    if not found.tables:
        raise EpisodeError(f"{folder} has no finished pair episodes both alone and as a pair")
    specs = dict.fromkeys(spec for spec in (extract_with, describe_with) if spec)
    with ExitStack() as stack:
        kwargs = parse_pairs(model_kwargs, "--model-kwargs")
        asked = {spec: stack.enter_context(_asked(spec, kwargs, folder)) for spec in specs}
        try:
            if extract_with:
                with found.noting("Answers read by a model"):
                    _read_again(folders, asked[extract_with], found)
            labelled = label_results(folders) if stages or ridge or failures else []
            if stages:
                found.tables += stage_tables(labelled)
            if ridge:
                with found.noting("Ratios predicted from the shape of conversations"):
                    found.tables += _ridge_tables(folders, labelled, figure)
            if failures:
                with found.noting("Kinds of failed dialogues"):
                    cached = asked[describe_with] if describe_with else None
                    found.tables.append(_failure_table(labelled, cached))
        finally:  # whatever a model does, the rest is worth showing
            _show(found, folders, folder, figure)
    if found.not_made:
        raise typer.Exit(1)


@dataclass(slots=True)
class _Found:
    """Tables to show, tables that are too long for it, and titles of those that can't be made."""

    tables: "list[Table]"
    long: "list[Table]" = field(default_factory=list)
    not_made: list[str] = field(default_factory=list)

    @contextmanager
    def noting(self, title: str) -> Iterator[None]:
        """Where tables can't be made of these results, put a note in their place."""
        from coordgym.data.tables import Table

        try:
            yield
        except CoordgymError as error:
            self.tables.append(Table("", title, (), (), f"Not made: {error}"))
            self.not_made.append(title)


@contextmanager
def _asked(spec: str, kwargs: "dict[str, Any]", folder: Path) -> "Iterator[CachedAsk]":
    """A model whose replies are kept in the folder."""
    from coordgym.agents.asking import make_ask
    from coordgym.silo_env.pairs.analysis.failures.asking import REPLIES_FILE, CachedAsk

    ask = make_ask(spec, **kwargs)

    def tell(done: int, total: int) -> None:
        print(f"asked {ask.model} {done} of {total} questions", file=sys.stderr, flush=True)

    try:
        yield CachedAsk(_Waiting(ask), folder / REPLIES_FILE, tell)
    finally:
        ask.close()


class _Waiting:
    """A model; while one waits for its replies, a line on stderr says so now and then."""

    def __init__(self, ask: "Ask") -> None:
        self.model = ask.model
        self.settings = ask.settings
        self._ask = ask

    def __call__(
        self, chats: "Sequence[Chat]", *, temperature: float, seeds: Sequence[int]
    ) -> "Sequence[Completion | ModelError]":
        done = Event()
        Thread(target=self._tell, args=(done, len(chats)), daemon=True).start()
        try:
            return self._ask(chats, temperature=temperature, seeds=seeds)
        finally:
            done.set()

    def _tell(self, done: Event, questions: int) -> None:
        waited = 0.0
        while not done.wait(SECONDS_BETWEEN_LINES):
            waited += SECONDS_BETWEEN_LINES
            print(
                f"waiting for {self.model} for {waited:g} s ({questions} questions)",
                file=sys.stderr,
                flush=True,
            )


def _ridge_tables(
    folders: "list[Results]", labelled: "list[Labelled]", figure: "Figure"
) -> "list[Table]":
    from coordgym.silo_env.pairs.analysis.models.features import cell_shapes
    from coordgym.silo_env.pairs.analysis.models.ridge import ridge_tables
    from coordgym.silo_env.pairs.analysis.scores.results import from_results
    from coordgym.silo_env.pairs.analysis.scores.tax import tax_cells

    cells = tax_cells(from_results(folders), figure=figure)
    return ridge_tables(cell_shapes(labelled, cells), figure)


def _failure_table(labelled: "list[Labelled]", cached: "CachedAsk | None") -> "Table":
    from coordgym.silo_env.pairs.analysis.models.clusters import failure_table

    return failure_table(labelled, cached)


def _read_again(folders: "list[Results]", cached: "CachedAsk", found: _Found) -> None:
    from coordgym.silo_env.pairs.analysis.failures.extraction_tables import (
        dialogue_log,
        read_answers,
        recordings,
    )
    from coordgym.silo_env.pairs.analysis.report import model_reading_tables

    readings = read_answers(list(recordings(folders)), cached)
    found.tables += model_reading_tables(readings, cached.model)
    found.long.append(dialogue_log(readings))


def _print(table: "Table") -> None:
    """Print a table as the screen is wide; into a file or a pipe as the table is wide."""
    from rich.console import Console

    from coordgym.data.tables import to_terminal, width_of

    screen = Console()
    width = screen.width if screen.is_terminal else None
    # A line with long names is left to the terminal to wrap: rich would cut it.
    console = Console(width=max(screen.width, width_of(table)), highlight=False)
    console.print(to_terminal(table, width), crop=False)


def _show(found: _Found, folders: "list[Results]", folder: Path, figure: "Figure") -> None:
    from coordgym.silo_env.pairs.analysis.report import remove_older_tables, write_tables

    # First the files: whoever reads the output may stop reading, as ``head`` does.
    written = write_tables(found.tables, folder, found.long, figure)
    for table in found.tables:
        _print(table)
    missing = sum(results.missing for results in folders)
    failed = sum(row.failure is not None for results in folders for row in results.rows)
    if missing or failed:
        print(f"{missing} episodes have not been played, {failed} failed: they are left out")
    print(f"wrote {', '.join(str(path) for path in written)}")
    if sys.exception() is None and not found.not_made:
        older = remove_older_tables(folder, written, figure)
        if older:
            print(f"removed {', '.join(map(str, older))}: tables of an earlier run")
    for title in found.not_made:
        print(f"not made: {title} (the reason stands in its place)", file=sys.stderr)
