"""Commands about the collaboration tax of split-view pairs: tax-plan, tax."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coordgym.cli.options import Kwargs, parse_pairs
from coordgym.errors import PlanError

if TYPE_CHECKING:
    from coordgym.data.tables import Table
    from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk
    from coordgym.silo_env.pairs.analysis.report import TaxReport

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
    from coordgym.silo_env.pairs.analysis.report import Wanted, tax_report

    if describe_with and not failures:
        raise PlanError("--describe-with goes with --failures")
    if model_kwargs and not (describe_with or extract_with):
        raise PlanError("--model-kwargs goes with --describe-with or --extract-with")
    wanted = Wanted(
        "exact" if exact else "score", stages, ridge, failures, extract_with, describe_with
    )
    kwargs = parse_pairs(model_kwargs, "--model-kwargs")
    with ExitStack() as models:
        report = tax_report(
            folder, wanted, lambda name: models.enter_context(_asked(name, kwargs, folder)), _show
        )
    if report.not_made:
        raise typer.Exit(1)


@contextmanager
def _asked(spec: str, kwargs: "dict[str, Any]", folder: Path) -> "Iterator[CachedAsk]":
    """Make a model whose replies are kept in the folder; lines on stderr say how it gets on."""
    from coordgym.agents.asking import make_ask
    from coordgym.runs.progress import told_every
    from coordgym.silo_env.pairs.analysis.failures.asking import REPLIES_FILE, CachedAsk

    ask = make_ask(spec, **kwargs)

    def tell(done: int, total: int) -> None:
        print(f"asked {ask.model} {done} of {total} questions", file=sys.stderr, flush=True)

    def waiting(questions: int) -> AbstractContextManager[None]:
        waits = count(SECONDS_BETWEEN_LINES, SECONDS_BETWEEN_LINES)

        def tell_time() -> None:
            waited = f"waiting for {ask.model} for {next(waits):g} s ({questions} questions)"
            print(waited, file=sys.stderr, flush=True)

        return told_every(SECONDS_BETWEEN_LINES, tell_time)

    try:
        yield CachedAsk(ask, folder / REPLIES_FILE, tell, waiting)
    finally:
        ask.close()


def _show(report: "TaxReport") -> None:
    """Print a report, and where it was written."""
    for table in report.tables:
        _print(table)
    if report.missing or report.failed:
        print(
            f"{report.missing} episodes have not been played, {report.failed} failed: they are "
            "left out"
        )
    print(f"wrote {', '.join(map(str, report.written))}")
    if report.removed:
        print(f"removed {', '.join(map(str, report.removed))}: tables of an earlier run")
    for title in report.not_made:
        print(f"not made: {title} (the reason stands in its place)", file=sys.stderr)


def _print(table: "Table") -> None:
    """Print a table as the screen is wide; into a file or a pipe as the table is wide."""
    from rich.console import Console

    from coordgym.data.tables import to_terminal, width_of

    screen = Console()
    width = screen.width if screen.is_terminal else None
    # A line with long names is left to the terminal to wrap: rich would cut it.
    console = Console(width=max(screen.width, width_of(table)), highlight=False)
    console.print(to_terminal(table, width), crop=False)
