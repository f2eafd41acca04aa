"""Answers that give each of several things a value: read from objects and from prose."""

import re
from collections.abc import Iterable, Mapping, Sequence


def assigned(answer: object, field: str, keys: Iterable[str]) -> dict[str, object]:
    """What an answer gives to the known keys; unknown keys are ignored, as is case."""
    given = answer.get(field) if isinstance(answer, Mapping) else None
    if not isinstance(given, Mapping):
        return {}
    known = {key.casefold(): key for key in keys}
    found: dict[str, object] = {}
    for key, value in given.items():
        name = known.get(str(key).strip().casefold())
        if name is not None:
            found.setdefault(name, value)
    return found


def free_text_pairs(messages: Sequence[str], key: str, value: str) -> dict[str, str] | None:
    """Pairs such as "i1 -> b2", "i1: b2" or "i1 = b2" of the last message that has any.

    Of several values of one key the last counts.

    Args:
        messages: The dialogue.
        key: Pattern of the keys, without groups.
        value: Pattern of the values, with one group for what counts.
    """
    pattern = re.compile(
        rf"\b({key})[ \t*`\"']{{0,4}}(?:->|=>|→|:|=)[ \t*`\"']{{0,4}}{value}\b", re.ASCII
    )
    for message in reversed(messages):
        pairs = dict(pattern.findall(message))
        if pairs:
            return pairs
    return None
