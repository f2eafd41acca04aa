"""The command line of coordgym; ``coordgym --help`` lists the commands."""

import sys


def main() -> None:
    """Run the command line; errors of this package are one line, with exit code 2."""
    from coordgym.cli.app import app
    from coordgym.errors import CoordgymError

    try:
        app()
    except CoordgymError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(2) from None
