"""Options that several commands share, and how their values are read."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coordgym.errors import PlanError
from coordgym.loading import without_prefix

if TYPE_CHECKING:
    from rich.console import Console

INTERRUPTED = 130
"""Exit code after an interrupt from the keyboard, as shells have it."""
MIN_TABLE_WIDTH = 150
"""Columns for tables that go to a file or a pipe."""

EnvId = Annotated[
    str, typer.Argument(help="Such as SiloGlobalMax-v0, I-01, or import:module:Class.")
]
Kwargs = Annotated[
    list[str] | None,
    typer.Option("--kwargs", "-k", metavar="KEY=VALUE", help="Argument of the environment."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the episode.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes that play at the same time.")]
Timeout = Annotated[
    float | None, typer.Option(help="Seconds for one episode; slower ones are stopped.")
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Play episodes again that failed before.")
]


def parse_pairs(pairs: list[str] | None, option: str) -> dict[str, Any]:
    """Read ``key=value`` texts; values are YAML (``3``, ``true``, ``[1, 2]``, ``abc``).

    Raises:
        PlanError: If a text has no ``=``, its value is not YAML, or a key comes twice.
    """
    from coordgym.data.plain_yaml import read_yaml

    values: dict[str, Any] = {}
    for pair in pairs or []:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise PlanError(f"{option} must be like key=value, got {pair!r}")
        if key in values:
            raise PlanError(f"{option}: {key!r} is given twice")
        values[key] = read_yaml(text, f"{option}: the value of {key}, {text!r},")
    return values


def folder_name(env_id: str) -> str:
    """Return the name of an environment as folders have it, without ``/`` and ``:``."""
    return without_prefix(env_id.rpartition("/")[2]).replace(":", ".")


def find_modules_in(folder: Path) -> None:
    """Let ``import:module:name`` find modules of a folder too, after all that are installed."""
    name = str(folder.absolute())
    if name not in sys.path:
        sys.path.append(name)


def shown(path: Path) -> str:
    """Return a path as short as it can be told from here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(path)


def console() -> "Console":
    """Return a console on stdout, wide enough for tables where it is not a terminal."""
    from rich.console import Console

    screen = Console()
    return screen if screen.is_terminal else Console(width=max(screen.width, MIN_TABLE_WIDTH))
