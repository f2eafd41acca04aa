"""Write the generated parts of the documentation.

``python scripts/generate_docs.py`` fills the parts between markers in README.md and docs/ and
writes docs/environments/; with ``--check`` nothing is written and the exit status is 1 if
anything differs. Facts come from the registry and from episodes that are played here, figures
from docs/results/, which ``scripts/measure_baselines.py`` measures.
"""

from typing import Annotated

import typer
from docgen.pages import ROOT, wanted_files


def main(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if something differs.")
    ] = False,
) -> None:
    """Write or check the generated parts of the documentation."""
    wanted = wanted_files()
    stale = [
        path
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if check and stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        raise SystemExit(f"not up to date: {names}; run `make docs`")
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
        typer.echo(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    typer.run(main)
