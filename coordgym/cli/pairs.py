"""Commands about the collaboration tax of split-view pairs: tax-plan, tax."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coordgym.cli.options import Kwargs, console, parse_pairs

if TYPE_CHECKING:
    from coordgym.evaluation import Results
    from coordgym.silo_env.pairs.analysis.tables import Table


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
    from coordgym.plan_file import parse_seeds
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
) -> None:
    """Print the tables of the collaboration tax and write tax.md and tax-*.csv into the folder."""
    from coordgym.errors import EpisodeError
    from coordgym.silo_env.pairs.analysis.report import load_folders, tax_tables, write_tables
    from coordgym.silo_env.pairs.analysis.results import from_results
    from coordgym.silo_env.pairs.analysis.tables import to_terminal

    folders = load_folders(folder)
    tables = tax_tables(from_results(folders), "exact" if exact else "score")
    if not tables:
        raise EpisodeError(f"{folder} has no finished pair episodes both alone and as a pair")
    if stages or ridge or failures:
        tables += _conversation_tables(folders, stages=stages, ridge=ridge, failures=failures)
    for table in tables:
        console().print(to_terminal(table))
    missing = sum(results.missing for results in folders)
    failed = sum(row.failure is not None for results in folders for row in results.rows)
    if missing or failed:
        print(f"{missing} episodes have not been played, {failed} failed: they are left out")
    print(f"wrote {', '.join(str(path) for path in write_tables(tables, folder))}")


def _conversation_tables(
    folders: "list[Results]", *, stages: bool, ridge: bool, failures: bool
) -> "list[Table]":
    from coordgym.silo_env.pairs.analysis import clusters
    from coordgym.silo_env.pairs.analysis.features import cell_shapes
    from coordgym.silo_env.pairs.analysis.results import from_results
    from coordgym.silo_env.pairs.analysis.ridge import ridge_tables
    from coordgym.silo_env.pairs.analysis.stages import label_results, stage_tables
    from coordgym.silo_env.pairs.analysis.tax import tax_cells

    labelled = label_results(folders)
    tables = stage_tables(labelled) if stages else []
    if ridge:
        tables += ridge_tables(cell_shapes(labelled, tax_cells(from_results(folders))))
    if failures:
        sample = clusters.balanced_sample(clusters.failures(labelled))
        tables.append(clusters.cluster_table(clusters.find_clusters(sample)))
    return tables
