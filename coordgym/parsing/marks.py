"""Markdown around a line that an agent wrote: bullets, bold, backticks, quotation marks.

Small models decorate what they are asked to write on a line of its own. Few and known marks are
read as if they were not there; whatever else stands around a line makes it another line.
"""

from typing import Final

BULLET: Final = r"(?:[-*+•]|[0-9]{1,6}[.)])"
"""Pattern of what begins an item of a list; a blank must follow."""
OPENING: Final = r"[*`\"'“‘]{0,5}"
"""Pattern of the marks that may stand before a line."""
CLOSING: Final = r"[*`\"'”’]{0,5}"
"""Pattern of the marks that may stand behind it."""

_MIRRORED: Final = str.maketrans("“‘", "”’")


def closing_of(opening: str) -> str:
    """Return the marks that close others: the same ones in the opposite order."""
    return opening[::-1].translate(_MIRRORED)
