"""Answers in prose: runs of names, pairs and sets of names, numbers, numbered lines, assignments.

Each function looks at the last message that holds what it seeks; linear in the text's length.
"""

import re
from collections.abc import Iterable, Sequence

from coordgym.silo_env.pairs.extraction import longest_run

_NUMBER_AFTER = re.compile(
    r"(?:\b(?:sum|total|answer)\b|=)[^\d\n=]{0,60}?(?<!\d)(-?\d{1,15})(?!\d)", re.IGNORECASE
)
_NUMBERED = re.compile(r"^[ \t*#]*(\d{1,2})[.):][ \t]+(\S.*)$", re.MULTILINE)
_INTEGER = re.compile(r"(?<![\w.])-?\d{1,15}(?![\w]|\.\d)", re.ASCII)
_OPENING, _CLOSING = r"[(\[{]\s*", r"\s*[)\]}]"


def any_of(names: Iterable[str]) -> str:
    """A pattern for one of the names as a word of its own."""
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    return rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in longest_first)})(?!\w)"


def name_run(messages: Sequence[str], names: Iterable[str], least: int = 2) -> list[str] | None:
    """The longest run of known names with blanks, commas, arrows or "then" between them."""
    pattern = re.compile(any_of(names))
    for message in reversed(messages):
        run = longest_run(message, pattern)
        if len(run) >= least:
            return run
    return None


def group_run(
    messages: Sequence[str], names: Sequence[str], size: int, least: int = 1
) -> list[list[str]] | None:
    """The longest run of groups of names such as (A, B) or A-B."""
    word = any_of(names)
    bracketed = _OPENING + r"\s*,\s*".join([word] * size) + _CLOSING
    joined = r"\s?[-–]\s?".join([word] * size)
    group = re.compile(f"{bracketed}|{joined}")
    for message in reversed(messages):
        run = longest_run(message, group)
        if len(run) >= least:
            return [re.findall(word, each) for each in run]
    return None


def last_number(messages: Sequence[str]) -> int | None:
    """The last whole number that follows "sum", "total", "answer" or "="."""
    for message in reversed(messages):
        found = _NUMBER_AFTER.findall(message)
        if found:
            return int(found[-1])
    return None


def numbered_values(message: str, count: int) -> dict[int, str]:
    """What a message says on its lines with numbers 1 to `count`; the last mention wins."""
    return {
        int(number): value
        for number, value in _NUMBERED.findall(message)
        if 1 <= int(number) <= count
    }


def last_integer(text: str) -> int | None:
    """The last whole number of a text."""
    found = _INTEGER.findall(text)
    return int(found[-1]) if found else None


def assignments(
    messages: Sequence[str], keys: Iterable[str], values: Iterable[str]
) -> dict[str, str] | None:
    """What is written as key -> value, key: value or key = value; the last mention wins."""
    pattern = re.compile(
        rf"({any_of(keys)})[\"'`*]{{0,3}}\s*(?:->|=>|→|⇒|:|=)\s*[\"'`*]{{0,3}}({any_of(values)})"
    )
    for message in reversed(messages):
        found = dict(pattern.findall(message))
        if found:
            return found
    return None
