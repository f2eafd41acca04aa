"""Read which of a few options an agent chose, in the words that it put around the option.

An option is read where the text says one thing only: alone, decorated, or followed by a remark.
Where another option may be meant as well, as in "Yes/No: No", the choice is refused; nothing is
guessed from prose. The time is linear in the text's length for a given list of options.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from coordgym.parsing.decorations import ANSWER_KEYS, bare, folded
from coordgym.parsing.marks import WORD
from coordgym.parsing.values import find_objects

__all__ = ["Choice", "read_choice"]

MAX_WHOLE: Final = 400
"""A longer text is no option with decorations around it, in characters."""

MAX_LINES: Final = 100
"""So many lines behind a choice are looked at for another one."""
CHOICE_KEYS: Final = ANSWER_KEYS | {"choice", "decision"}
"""Keys under which an object of one entry may hold the option."""

_LABEL: Final = re.compile(
    r"(?:option|choice|decision|vote|my answer|answer|action)\s*[:=]\s*", re.I
)
_LEAD: Final = re.compile(
    r"""(?: [\s:>*_`"'“”‘’«»„\[(<$] | \\boxed\{ | \\text\{ | [-+•→⇒➜](?=\s) | \#{1,6}(?=\s) )*+""",
    re.X,
)
_BULLET: Final = re.compile(r"\s*[0-9]{1,3}[.)]\s+")
_BLANK_LINES: Final = re.compile(r"\A(?:[ \t\r:*_#`]*+\n)++")
_CLOSING: Final = re.compile(r"""[*_`"'“”‘’«»\])>}$]*+""")
# "Joseph" is not "Jose", "Anna-Lena" is not "Anna", "0.5" is not "0".
_BOUNDARY: Final = re.compile(rf"(?![{WORD}]|[-'’.][{WORD}]|[,:][0-9])")
_REMARK: Final = re.compile(rf"\s*(?:$|[.,;:!()\[|#*\n…—–-])|\s+(?:because|since|as)(?![{WORD}])")
_REASON: Final = re.compile(rf"[\s.,;:!()\[—–-]*(?:because|since|as)(?![{WORD}])", re.I)
_TURNED: Final = re.compile(
    rf"(?<![{WORD}])(?:wait|actually|instead|rather|correction|on second thought|i change)"
    rf"(?![{WORD}])",
    re.I,
)
_SAME: Final = re.compile(r"[\s:_]+")


class Choice(NamedTuple):
    """What a text chooses.

    Attributes:
        option: One of the options; None if none can be read.
        problem: "none" where no option stands, "several" where more than one may be meant.
    """

    option: str | None
    problem: Literal["none", "several"] | None = None


NONE, SEVERAL = Choice(None, "none"), Choice(None, "several")


def read_choice(text: str, options: Sequence[str]) -> Choice:
    """Read the option at the beginning of a text.

    Args:
        text: What stands where the choice is asked for; its length is bounded by the caller.
        options: The options as they are listed to the agent, none empty.
    """
    text = text.strip()
    if (option := _whole(text, options)) is not None:
        return Choice(option)
    line, _, later = _BLANK_LINES.sub("", text).partition("\n")
    return _first_of(line, later, options)


# --- the whole text is one option --------------------------------------------------------


def _whole(text: str, options: Sequence[str]) -> str | None:
    """Return the option of which a short text is a decorated form; None if it is none."""
    if not 0 < len(text) <= MAX_WHOLE:
        return None
    text = _object_entry(text)
    for _ in range(3):  # labels, brackets and decorations may stand around each other
        text = bare(text)
        if (label := _LABEL.match(text)) is not None:
            text = text[label.end() :]
        elif len(text) > 2 and text[0] + text[-1] in ("[]", "()", "<>"):
            text = text[1:-1]
        lead = re.match(r"(?:[-+•→⇒➜>]\s+)*", text)
        text = text[lead.end() :] if lead else text
    text = bare(text)
    if text in options:
        return text
    return _only(options, lambda option: _key(option) == _key(text)) or _numbered(text, options)


def _object_entry(text: str) -> str:
    """Return the text in an object such as ``{"answer": "Yes"}``; else the text itself."""
    inner = bare(text)
    if inner.startswith("{") and (found := find_objects(inner, lambda _: True)):
        first = found[0]
        if (first.start, first.end) == (0, len(inner)) and len(first.value) == 1:
            ((key, value),) = first.value.items()
            if folded(key) in CHOICE_KEYS and isinstance(value, str | int):
                return str(value)
    return text


def _numbered(text: str, options: Sequence[str]) -> str | None:
    """Return the one option that is a word and this number, such as "Group 3" for "3"."""
    if not re.fullmatch(r"[0-9]{1,6}", text):
        return None
    return _only(options, lambda option: re.fullmatch(rf"[^\W\d]+ {text}", option) is not None)


def _only(options: Iterable[str], fits: Callable[[str], bool]) -> str | None:
    fitting = [option for option in options if fits(option)]
    return fitting[0] if len(fitting) == 1 else None


def _key(text: str) -> str:
    return _SAME.sub(" ", text).strip().casefold()


# --- an option, and a remark behind it ---------------------------------------------------


def _first_of(line: str, later: str, options: Sequence[str]) -> Choice:
    found = _at_start(line, options)
    if found is None:
        return NONE
    option, rest, exact = found
    if _listed(rest, option, options):
        return SEVERAL
    if not _REMARK.match(rest):
        return SEVERAL if _others(rest, option, options, exact) else NONE
    if not _REASON.match(rest) and _others(rest, option, options, exact):
        return SEVERAL
    return SEVERAL if _revoked(later, option, options) else Choice(option)


def _at_start(line: str, options: Sequence[str]) -> tuple[str, str, bool] | None:
    """Return the longest option at the start of a line, what follows, and if its case is right."""
    starts = [_lead_end(line, 0)]
    if (label := _LABEL.match(line, starts[0])) is not None:
        starts.append(_lead_end(line, label.end()))
    elif (bullet := _BULLET.match(line)) is not None:
        starts.append(_lead_end(line, bullet.end()))
    for start in reversed(starts):
        for same in (str, str.casefold):
            fitting = [
                option
                for option in options
                if same(line[start : start + len(option)]) == same(option)
                and _BOUNDARY.match(line, start + len(option))
            ]
            if fitting:
                option = max(fitting, key=len)
                end = start + len(option)
                closing = _CLOSING.match(line, end)
                return option, line[closing.end() if closing else end :], same is str
    return None


def _lead_end(line: str, start: int) -> int:
    lead = _LEAD.match(line, start)
    return lead.end() if lead else start


def _listed(rest: str, option: str, options: Sequence[str]) -> bool:
    """Tell whether what follows an option is another one of a list."""
    joint = re.match(rf"\s*(?:[/|,;&+]|(?:or|and|oder|und|vs\.?)(?![{WORD}]))\s*", rest, re.I)
    if joint is None:
        return False
    after = rest[joint.end() : joint.end() + 200].lstrip("*_`\"'“‘[(<")
    folded = after.casefold()
    return any(
        folded.startswith(other.casefold()) and _BOUNDARY.match(after, len(other))
        for other in options
        if other != option
    )


def _others(text: str, option: str, options: Sequence[str], exact: bool) -> bool:
    """Tell whether a text names another option, as it is listed or, if not exact, in any case."""
    if not exact:
        text = text.casefold()
    for other in options:
        sought = other if exact else other.casefold()
        if other != option and sought in text:
            inside = rf"(?<![{WORD}'’-]){re.escape(sought)}{_BOUNDARY.pattern}"
            longer = any(o != other and sought in o and o in text for o in options)
            if re.search(inside, text) and not (longer and option.startswith(other)):
                return True
    return False


def _revoked(later: str, option: str, options: Sequence[str]) -> bool:
    """Tell whether the lines behind a choice hold another one, or take it back."""
    if not later or not _others(later, option, options, exact=False):
        return False
    for line in later.split("\n", MAX_LINES)[:MAX_LINES]:
        found = _at_start(line, options)
        if found is not None and found[0] != option:
            return True
    return _TURNED.search(later) is not None and _others(later, option, options, exact=True)
