"""The command line of coordgym; ``coordgym --help`` lists the commands."""

import io
import os
import sys

from coordgym.cli.options import INTERRUPTED


def main() -> None:
    """Run the command line; errors of this package or of files are one line, exit code 2."""
    _survive_narrow_encodings()
    try:
        _run()
    except BrokenPipeError:  # whoever read the output wants no more of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


def _run() -> None:
    from coordgym.cli.app import app
    from coordgym.errors import CoordgymError

    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (CoordgymError, OSError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{error.filename}: {error.strerror}"
        print(f"error: {' '.join(text.split())}", file=sys.stderr)
        raise SystemExit(2) from None


def _survive_narrow_encodings() -> None:
    """Show what a terminal can't (``PYTHONIOENCODING=ascii``) as a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
