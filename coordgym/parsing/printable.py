"""Which characters can be shown, the same under every Python.

``str.isprintable`` knows the characters of the Unicode version that a Python was built with: a
newer Python would hear what an older one blanks. Here the list of what has no picture of its own
is fixed (Unicode 15.1): controls, format characters, surrogates, private use, separators other
than the space, and what will never be a character. Any other character counts as printable.
"""

import re
from typing import Final

__all__ = ["is_printable", "printable"]

_HIDDEN: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u1680\u180e"
    "\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ud800-\uf8ff\ufdd0-\ufdef"
    "\ufeff\ufff9-\ufffb\ufffe-\uffff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(rf"\U{plane:04x}fffe-\U{plane:04x}ffff" for plane in range(1, 14))
    + "\U000e0000-\U000e0fff\U000efffe-\U0010ffff"
    "]"
)


def is_printable(text: str) -> bool:
    """Tell whether all characters of a text can be shown on one line."""
    return _HIDDEN.search(text) is None


def printable(text: str, instead: str) -> str:
    """Return a text with ``instead``, one character, for each that can't be shown."""
    return _HIDDEN.sub(instead, text)
