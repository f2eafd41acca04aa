"""The one coordinate scheme in which a dialogue is read.

What the agents declare in words counts; among the schemes that agree with it, the one under
which most claims about cells are grounded. It is one scheme for both agents: a speaker who
silently uses other axes states facts that nobody has (The Collaboration Tax, case E.1).
"""

import re
from collections.abc import Callable, Iterable, Sequence

from coordgym.silo_env.pairs.dialogue.utterances import sentences
from coordgym.silo_env.pairs.grids.schemes import Scheme

_ROW_FIRST = r"\(\s*row\s*,\s*col(?:umn)?\s*\)|\brow,? (?:then )?col(?:umn)?\b"
_COLUMN_FIRST = r"\(\s*col(?:umn)?\s*,\s*row\s*\)|\(\s*x\s*,\s*y\s*\)|\bcol(?:umn)?,? row\b"
_AXES = (
    (re.compile(_ROW_FIRST, re.I), "row_col"),
    (re.compile(_COLUMN_FIRST, re.I), "col_row"),
)
_ORIGINS = (
    (re.compile(r"\b(?:0|zero)-(?:based|indexed)|\b(?:from|at|with) (?:0|zero)\b", re.I), 0),
    (re.compile(r"\b(?:1|one)-(?:based|indexed)|\b(?:from|at|with) (?:1|one)\b", re.I), 1),
)
_ABOUT_COUNTING = re.compile(
    r"based|indexed|origin|coordinate|count|number|\([01],\s*[01]\)|\brow [01]\b|\by\s?=\s?1", re.I
)
_CORNER = re.compile(r"\b(top|upper|bottom|lower)[- ](left|right)\b", re.I)
_COUNTING = re.compile(r"count|number|start|begin|origin|index|based", re.I)


def declared(texts: Iterable[str]) -> dict[str, object]:
    """Return the parts of a scheme that a dialogue states, each from its first mention."""
    found: dict[str, object] = {}
    for text in texts:
        for sentence in sentences(text):
            for pattern, axes in _AXES:
                if pattern.search(sentence):
                    found.setdefault("axes", axes)
            if _COUNTING.search(sentence):
                for pattern, origin in _ORIGINS:
                    if pattern.search(sentence):
                        found.setdefault("origin", origin)
            corner = _CORNER.search(sentence)
            if corner is not None and _ABOUT_COUNTING.search(sentence):
                side = "top" if corner[1].lower() in ("top", "upper") else "bottom"
                found.setdefault("corner", f"{side}_{corner[2].lower()}")
    return found


def choose(
    schemes: Sequence[Scheme], texts: Iterable[str], grounded: Callable[[Scheme], int]
) -> Scheme:
    """Return the scheme of a dialogue.

    Args:
        schemes: Those that are possible; earlier ones win ties.
        texts: The messages.
        grounded: How many claims about cells are grounded under a scheme.
    """
    parts = declared(texts)
    agreeing = [
        scheme
        for scheme in schemes
        if all(getattr(scheme, name) == value for name, value in parts.items())
    ]
    candidates = agreeing or list(schemes)
    if len(candidates) == 1:
        return candidates[0]
    return max(candidates, key=lambda scheme: (grounded(scheme), -scheme.number))
