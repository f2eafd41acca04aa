"""Measure the rule-based baselines and write the figures of the docs to docs/results/*.csv.

``python scripts/measure_baselines.py`` measures what the files lack, ``--fresh`` everything
anew, and family names (``silo graph pairs swarm``) limit it. The seeds are fixed, so the same
code gives the same files. ``scripts/generate_docs.py`` makes the tables of the docs from them.
"""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from measurements.table import MeasuredTable, fill

from coordgym.loading import load

RESULTS = Path(__file__).parent.parent / "docs" / "results"


class Family(StrEnum):
    """A family whose baselines can be measured."""

    SILO = "silo"
    GRAPH = "graph"
    PAIRS = "pairs"
    SWARM = "swarm"


def main(
    families: Annotated[
        list[Family] | None, typer.Argument(help="What to measure; everything by default.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that measure.")] = 1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what was measured.")] = False,
    out: Annotated[Path, typer.Option(help="Folder of the CSV files.")] = RESULTS,
) -> None:
    """Measure the rule-based baselines; the same command again goes on where it stopped."""
    for family in families or list(Family):
        tables: tuple[MeasuredTable, ...] = load(f"measurements.{family}:TABLES")
        for table in tables:
            if fresh:
                (out / f"{table.name}.csv").unlink(missing_ok=True)
            path = fill(table, out, workers=workers, say=typer.echo)
            typer.echo(f"  wrote {path}")
    user, system, children_user, children_system, _ = os.times()
    spent = user + system + children_user + children_system
    typer.echo(f"{spent:.0f} s of processor time")


if __name__ == "__main__":
    typer.run(main)
