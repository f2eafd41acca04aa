"""Answers in prose: runs of names, pairs and sets of names, numbers, numbered lines, assignments.

Each function looks at the last message that holds what it seeks; linear in the text's length.
"""

import re
from collections.abc import Iterable, Sequence

from coordgym.parsing.marks import WORD

_BETWEEN = re.compile(r"(?:[\s,;→\"']|->|=>|(?<=\s)>(?=\s)|\bthen\b)*+", re.IGNORECASE)
_LAST_BETWEEN = re.compile(r"\s*+,?\s*+\band\s++(?:then\s++|finally\s++)?", re.IGNORECASE)
_ITEM = re.compile(
    r"[ \t]*+(?:(?P<bullet>[-*•])[ \t]|[0-9]{1,3}[.):]"
    r"|\(?(?:step|tick|move|t)[ \t]*+=?+[ \t]*+[0-9]{1,3}[.):]"
    r"|\|[ \t]*+[0-9]{1,3}[ \t]*+\|)[ \t]*+",
    re.IGNORECASE,
)
"""The bullet or number of an item of a list, or the first cell of a row of a table."""
_ITEM_END = re.compile(r"[ \t]*+[.,;|]?+[ \t\r]*+")
_NUMBER = r"(?<![0-9])(-?[0-9]{1,15})(?![0-9])"
_NUMBER_AFTER = re.compile(
    # "The sum of the 5 values is 27" has 27 in mind, not 5.
    r"\b(?:sum|total|answer)\b[^\n=:]{0,60}?(?:\b(?:is|equals)\b|[=:])"
    rf"[^{WORD}\n=]{{0,20}}{_NUMBER}"
    rf"|(?:\b(?:sum|total|answer)\b|=)[^0-9\n=]{{0,60}}?{_NUMBER}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^[ \t*#-]*+(?:(?:q|query|question|answer)[ \t]*+#?+)?\(?([0-9]{1,2})[.):][ \t]++(\S.*)$"
    r"|^[ \t]*+\|[ \t]*+([0-9]{1,2})[ \t]*+\|[ \t]*+([^|\n]*\S)[ \t]*+\|",
    re.MULTILINE | re.IGNORECASE,
)
_NEXT_NUMBER = re.compile(r"[;,][ \t]++(?=\(?[0-9]{1,2}[.)][ \t])")
"""Where an answer goes on to the next number on the same line."""
_INTEGER = re.compile(r"(?<![A-Za-z0-9_.])-?[0-9]{1,15}(?![A-Za-z0-9_]|\.[0-9])")
_OPENING, _CLOSING = r"[(\[{]\s*", r"\s*[)\]}]"


def longest_run(message: str, element: re.Pattern[str], *, bullets: bool = True) -> list[str]:
    """Find the longest run of elements.

    Only blanks, commas, semicolons, quotation marks, arrows or "then" stand between them, "and"
    before the last of three or more; or they are the items of a list. Of equally long runs, the
    last.

    Args:
        message: The text.
        element: What a run is made of.
        bullets: Whether the items of a list may have bullets for numbers.
    """
    best: list[str] = []
    run: list[str] = []
    end = 0
    closed = False
    for match in element.finditer(message):
        joined = run and not closed and _BETWEEN.fullmatch(message, end, match.start())
        last = len(run) > 1 and not closed and _LAST_BETWEEN.fullmatch(message, end, match.start())
        if not joined and not last:
            run = []
        closed = bool(run) and not joined
        run.append(match.group())
        end = match.end()
        if len(run) >= len(best):
            best = run
    listed = _longest_list(message, element, bullets=bullets)
    return listed if len(listed) > len(best) else best


def _longest_list(message: str, element: re.Pattern[str], *, bullets: bool) -> list[str]:
    """Find the longest list whose items are one element each."""
    best: list[str] = []
    run: list[str] = []
    for line in message.split("\n"):
        item = _ITEM.match(line)
        allowed = item is not None and (bullets or item["bullet"] is None)
        match = element.match(line, item.end()) if item and allowed else None
        if match is not None and _ITEM_END.fullmatch(line, match.end()):
            run.append(match.group())
        elif line.strip():
            run = []
        if len(run) >= len(best):
            best = run
    return best


def any_of(names: Iterable[str]) -> str:
    """Return a pattern for one of the names as a word of its own."""
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    return rf"(?<![{WORD}])(?:{'|'.join(re.escape(name) for name in longest_first)})(?![{WORD}])"


def name_run(messages: Sequence[str], names: Iterable[str], least: int = 2) -> list[str] | None:
    """Find the longest run of known names with blanks, commas, arrows or "then" between them."""
    pattern = re.compile(any_of(names))
    for message in reversed(messages):
        run = longest_run(message, pattern)
        if len(run) >= least:
            return run
    return None


def group_run(
    messages: Sequence[str], names: Sequence[str], size: int, least: int = 1
) -> list[list[str]] | None:
    """Find the longest run of groups of names such as (A, B) or A-B."""
    word = any_of(names)
    bracketed = _OPENING + r"\s*,\s*".join([f"[\"']?{word}[\"']?"] * size) + _CLOSING
    joined = " ?[-–] ?".join([word] * size)
    group = re.compile(f"{bracketed}|{joined}")
    for message in reversed(messages):
        # Pairs with bullets are what an agent knows rather than what it answers.
        run = longest_run(message, group, bullets=size > 2)
        if len(run) >= least:
            return [re.findall(word, each) for each in run]
    return None


def last_number(messages: Sequence[str]) -> int | None:
    """Find the last whole number that follows "sum", "total", "answer" or "="."""
    for message in reversed(messages):
        found = _NUMBER_AFTER.findall(message)
        if found:
            return int(found[-1][0] or found[-1][1])
    return None


def numbered_values(message: str, count: int) -> dict[int, str]:
    """Read the lines of a message with numbers 1 to ``count``; the last mention wins."""
    lines = _NEXT_NUMBER.sub("\n", message)
    found = ((a or b, value or cell) for a, value, b, cell in _NUMBERED.findall(lines))
    return {int(number): value for number, value in found if 1 <= int(number) <= count}


def last_integer(text: str) -> int | None:
    """Find the last whole number of a text."""
    found = _INTEGER.findall(text)
    return int(found[-1]) if found else None


def only_integer(text: str) -> int | None:
    """Find the whole number of a text; None if it has none or several."""
    found = _INTEGER.findall(text)
    return int(found[0]) if len(found) == 1 else None


def assignments(
    messages: Sequence[str], keys: Iterable[str], values: Iterable[str]
) -> dict[str, str] | None:
    """Read key -> value, key: value or key = value; the last mention wins.

    Two cells of a table's row say the same.
    """
    pattern = re.compile(
        rf"({any_of(keys)})[\"'`*]{{0,3}}\s*(?:<?->|=>|[→↔⇔:=|])\s*[\"'`*]{{0,3}}({any_of(values)})"
    )
    for message in reversed(messages):
        found = dict(pattern.findall(message))
        if found:
            return found
    return None
