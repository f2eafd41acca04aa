"""Reading facts, names and answers that come from outside: instances as JSON, agents' answers."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized

from coordgym.silo_env.pairs.facts.sentences import NAME

MAX_NAMES = 26
MAX_FACTS = 120
"""Facts of one kind in an instance; drawn ones have at most a quarter as many."""
LARGEST = 1_000_000
"""Numbers in instances are at most as far from zero."""

_NAME = re.compile(NAME, re.ASCII)
_INTEGER = re.compile(r"\s*([+-]?\d{1,15})(?:\.0{1,15})?\s*", re.ASCII)


def first_fault(faults: Iterable[str | None]) -> str | None:
    """Return the first fault that there is; the checks after it are not made."""
    return next(filter(None, faults), None)


def length_fault(field: str, entries: Sized, low: int, high: int) -> str | None:
    """Say that a list or object has not ``low..high`` entries."""
    if low <= len(entries) <= high:
        return None
    return f"{field} must have {low}..{high} entries, got {len(entries)}"


def keys_fault(field: str, given: Mapping[str, object], keys: Collection[str]) -> str | None:
    """Say that an object has not exactly these keys."""
    fault = length_fault(field, given, len(keys), len(keys))
    if fault is None and set(given) != set(keys):
        return f"{field} must have the keys {', '.join(keys)}"
    return fault


def integers_fault(field: str, values: Iterable[int], low: int, high: int) -> str | None:
    """Say which number is out of bounds."""
    wrong = next((value for value in values if not low <= value <= high), None)
    if wrong is None:
        return None
    return f"{field} must hold integers {low}..{high}, got {wrong!r:.100}"


def name_fault(field: str, value: str) -> str | None:
    """Say that a text is no short word of letters, digits and underscores."""
    if _NAME.fullmatch(value):
        return None
    return (
        f"{field} must hold names of 1..20 letters, digits or _ that start with a letter, "
        f"got {value!r:.100}"
    )


def names_fault(field: str, names: Sequence[str], least: int = 1) -> str | None:
    """Say why names are too few or too many, or not all different ones."""
    if not least <= len(names) <= MAX_NAMES:
        return f"{field} must be a list of {least}..{MAX_NAMES} names"
    fault = first_fault(name_fault(field, name) for name in names)
    if fault is None and len({name.casefold() for name in names}) != len(names):
        return f"{field} must not hold a name twice, capital letters aside"
    return fault


def entries_fault(field: str, value: object) -> str | None:
    """Say what within a field is no name, too large a number or too long a list."""
    if isinstance(value, str):
        return name_fault(field, value)
    if isinstance(value, int) and not -LARGEST <= value <= LARGEST:
        return f"{field} must hold integers {-LARGEST}..{LARGEST}, got {value!r:.100}"
    entries = [*value, *value.values()] if isinstance(value, Mapping) else value
    if not isinstance(entries, list | tuple):
        return None
    if len(entries) > MAX_FACTS:
        return f"{field} must be a list of at most {MAX_FACTS} facts"
    return first_fault(entries_fault(field, entry) for entry in entries)


def answer_list(answer: object, field: str) -> Sequence[object] | None:
    """Return the list under a field of an answer; None if there is none."""
    value = answer.get(field) if isinstance(answer, Mapping) else None
    return value if isinstance(value, list | tuple) else None


def answer_name(value: object) -> str | None:
    """Return a name in an answer, without blanks around it; None if it is no text."""
    return value.strip() if isinstance(value, str) else None


def answer_integer(value: object) -> int | None:
    """Return a whole number in an answer, also as text; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) < 64:
        match = _INTEGER.fullmatch(value)
        return None if match is None else int(match[1])
    return None
