"""Answers as models write them: the object of a final answer, and what it says in the task's form.

Keys may have another case or no quotes, numbers may come with their unit, cells as objects with
named coordinates: that changes nothing of what is meant. What may mean two things stays as it is.
Pure functions, linear in the length of the text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from coordgym.parsing import ParseError, parse_literal
from coordgym.parsing.decorations import ANSWER_KEYS, folded
from coordgym.parsing.values import STRING
from coordgym.silo_env.pairs.task import Answer, InstanceT, PairTask

_BARE_KEY = re.compile(rf"({STRING})|([{{,]\s*+)([A-Za-z_]\w{{0,40}})(?=\s*+:)", re.X | re.S)
_STRAIGHT = str.maketrans("“”„‟″‘’‚‛′", "\"\"\"\"\"'''''")
_ESCAPED = re.compile(r"\\([{}_])")
_MEASURE = re.compile(
    r"\s*(?:[A-Za-z]{1,12}[.:]?\s*)?([-−]?[0-9]{1,9})(?:\.0+)?(?:\s*[A-Za-z%]{1,12}\.?)?\s*"
)
"""One whole number, with one word before or behind it: "slot 3", "12 min", "96 points"."""
_COORDINATES = (
    ("time", "tick", "minute", "t", "floor", "level", "layer"),
    ("row", "r"),
    ("col", "column", "c"),
)
"""Names of a cell's coordinates in the order in which an answer has them."""


def read_object(text: str, answer_fields: Sequence[str]) -> Answer | None:
    """Read an object that has one of the task's fields; None if the text is none.

    Args:
        text: What stands between two braces, with them.
        answer_fields: An answer has at least one of these keys, in any case.
    """
    for spelling in _spellings(text):
        try:
            value = parse_literal(spelling)
        except ParseError:
            continue
        return with_fields(_unwrapped(value), answer_fields) if isinstance(value, dict) else None
    return None


def _unwrapped(value: dict[str, Any]) -> dict[str, Any]:
    """Return what an object such as ``{"answer": {…}}`` holds; else the object itself."""
    if len(value) == 1:
        ((key, inner),) = value.items()
        if isinstance(inner, dict) and folded(key) in ANSWER_KEYS:
            return inner
    return value


def _spellings(text: str) -> Iterator[str]:
    """Yield a text, then what it is without curly quotes, without LaTeX, with quoted keys."""
    yield text
    straight = _ESCAPED.sub(r"\1", text.translate(_STRAIGHT))
    if straight != text:
        yield straight
    if straight.startswith("{{") and straight.endswith("}}"):  # that of a LaTeX box, and its own
        straight = straight[1:-1]
        yield straight
    quoted = _BARE_KEY.sub(_quoted_key, straight)
    if quoted != straight:
        yield quoted


def _quoted_key(found: re.Match[str]) -> str:
    string, before, key = found.groups()
    return found.group() if string is not None else f'{before}"{key}"'


def with_fields(value: Mapping[str, Any], answer_fields: Sequence[str]) -> Answer | None:
    """Return an object with its fields as the task spells them; None if it has none of them.

    An object that has the same field twice, in two spellings, says two things: None.
    """
    named = {field.casefold(): field for field in answer_fields}
    answer: Answer = {}
    for key, item in value.items():
        name = key if key in answer_fields else named.get(key.strip().casefold(), key)
        if name in answer:
            return None
        answer[name] = item
    return answer if any(field in answer for field in answer_fields) else None


def tidy(task: PairTask[InstanceT, Any, Any], instance: InstanceT, answer: Answer) -> Answer:
    """Return an answer in the task's form as far as it says one thing.

    The instance tells the names that both agents know, nothing else.
    """
    names = _Names(task.to_json(instance))
    return {
        key: _tidy(item, names, numbers=task.counts) if key in task.answer_fields else item
        for key, item in answer.items()
    }


def _tidy(value: Any, names: "_Names", *, numbers: bool) -> Any:
    if isinstance(value, list):
        return [_tidy(item, names, numbers=numbers) for item in value]
    if isinstance(value, dict):
        cell = _cell(value)
        if cell is not None:
            return cell
        tidied = [(names.spelled(k), _tidy(v, names, numbers=numbers)) for k, v in value.items()]
        # Two keys that differ in case alone stay apart.
        return dict(tidied) if len({key for key, _ in tidied}) == len(tidied) else value
    if isinstance(value, str):
        spelled = names.spelled(value)
        measure = _MEASURE.fullmatch(value) if numbers and spelled == value else None
        if measure is not None and value not in names:
            return int(measure[1].replace("−", "-"))
        return spelled
    return value


def _cell(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the coordinates of a cell that names them; None if it is no such object."""
    if not 2 <= len(value) <= len(_COORDINATES) or {*map(type, value.values())} != {int}:
        return None
    if {key.casefold() for key in value} == {"x", "y"}:
        return [item for _, item in sorted((k.casefold(), v) for k, v in value.items())]
    places: dict[int, Any] = {}
    for key, item in value.items():
        place = next((i for i, keys in enumerate(_COORDINATES) if key.casefold() in keys), None)
        if place is None or place in places:
            return None
        places[place] = item
    return [places[place] for place in sorted(places)] if {1, 2} <= set(places) else None


class _Names:
    """The names in an instance, to find one that was written in another case."""

    def __init__(self, instance: Any) -> None:
        self._names = set(_texts(instance))
        folded: dict[str, set[str]] = {}
        for name in self._names:
            folded.setdefault(name.casefold(), set()).add(name)
        self._by_case = {key: next(iter(each)) for key, each in folded.items() if len(each) == 1}

    def __contains__(self, text: str) -> bool:
        return text in self._names

    def spelled(self, text: str) -> str:
        """Return the one name that a text is in another case; else the text."""
        return text if text in self._names else self._by_case.get(text.strip().casefold(), text)


def _texts(value: object) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            stack.extend(cast("list[object]", item))
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
