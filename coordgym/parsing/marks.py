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

LETTERS: Final = r"\xaa\xb5\xba\xc0-\u1fff\u2c00-\u2dff\u3040-\ud7ff\U00010000-\U000e00ff"
"""What a character class of letters holds beyond ASCII: all blocks of letters, emoji among them.

``\\w`` knows only the letters of the Unicode version of a Python.
"""
WORD: Final = f"A-Za-z0-9_{LETTERS}"
"""What a character class of words holds."""
NAME: Final = rf"[A-Za-z_][{WORD}]{{0,63}}"
"""Pattern of what may be meant as the name of a function."""

_MIRRORED: Final = str.maketrans("“‘", "”’")


def closing_of(opening: str) -> str:
    """Return the marks that close others: the same ones in the opposite order."""
    return opening[::-1].translate(_MIRRORED)
