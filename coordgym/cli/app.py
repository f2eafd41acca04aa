"""The commands; what they need is imported when they run, so that ``--help`` is quick."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from coordgym.cli import envs, pairs, runs
from coordgym.cli.options import find_modules_in
from coordgym.version import VERSION

app = typer.Typer(
    name="coordgym",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(VERSION)
        raise typer.Exit


def _in_one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Show a warning as errors are shown, without the place in the code."""
    return f"warning: {' '.join(str(message).split())}\n"


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Text environments in which language-model agents must coordinate."""
    find_modules_in(Path())
    warnings.formatwarning = _in_one_line


app.command("list")(envs.list_environments)
app.command("show")(envs.show)
app.command("play")(envs.play)
app.command("check")(envs.check)
app.command("run")(runs.run)
app.command("bench")(runs.bench)
app.command("report")(runs.report)
app.command("replay")(runs.replay)
app.command("tax-plan")(pairs.tax_plan)
app.command("tax")(pairs.tax)
