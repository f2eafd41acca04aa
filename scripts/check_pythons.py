"""Check that episodes are the same under every Python that is found here.

Each Python from 3.11 on gets a virtual environment of its own, with the package and the oldest
numpy that it can have (one with the newest), and compares ``tests/data/digest.jsonl``.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).parent.parent
MINORS = range(11, 15)
NUMPY = {11: "numpy==1.26.*", 12: "numpy==1.26.*"}
"""The numpy of a Python 3.x; the newest where none is named."""
FAMILIES = ("silo", "graph", "pairs", "swarm")
ASK = "import json, sys; print(json.dumps([sys.executable, sys.version_info[1]]))"


def _candidates() -> Iterator[str]:
    """Yield commands and files that may be a Python."""
    yield sys.executable
    for minor in MINORS:
        yield f"python3.{minor}"
    yield from map(str, sorted(Path.home().glob(".pyenv/versions/3.*/bin/python")))


def found_pythons() -> dict[int, str]:
    """Return one Python for each minor version from 3.11 on that runs here."""
    found: dict[int, str] = {}
    for command in _candidates():
        path = shutil.which(command)
        if path is None:
            continue
        asked = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
        if asked.returncode == 0:  # a shim of a version manager may stand for nothing
            executable, minor = json.loads(asked.stdout)
            if minor in MINORS:
                found.setdefault(minor, executable)
    return dict(sorted(found.items()))


def check(python: str, minor: int, folder: Path) -> str | None:
    """Compare the digest under one Python; return what differs, None for nothing.

    Args:
        python: The interpreter.
        minor: Its minor version.
        folder: Where its virtual environment lies or is made.
    """
    venv = folder / f"3.{minor}"
    own = venv / "bin" / "python"
    dependencies = [NUMPY.get(minor, "numpy"), "--editable", str(ROOT)]
    install = [str(own), "-m", "pip", "install", "--quiet", *dependencies]
    commands = [
        [python, "-m", "venv", str(venv)],
        [*install, "--config-settings", "editable_mode=compat"],
        *([str(own), "scripts/digest_episodes.py", "--check", family] for family in FAMILIES),
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        if done.returncode != 0:
            return f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return None


def main(
    folder: Annotated[Path, typer.Option(help="Where the virtual environments lie.")] = Path(
        ".venv/pythons"
    ),
    jobs: Annotated[int, typer.Option(help="Pythons that are checked at a time.")] = 2,
) -> None:
    """Check every Python that is found."""
    pythons = found_pythons()
    with ThreadPoolExecutor(jobs) as pool:
        faults = pool.map(lambda minor: check(pythons[minor], minor, folder.absolute()), pythons)
        results = dict(zip(pythons, faults, strict=True))
    for minor, fault in results.items():
        numpy = NUMPY.get(minor, "the newest numpy")
        print(f"Python 3.{minor}, {numpy}: {'the same episodes' if fault is None else fault}")
    if any(results.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    typer.run(main)
