"""Answers to numbered queries: how they are compared, and read from prose."""

import re
from collections.abc import Mapping, Sequence

from coordgym.silo_env.pairs.task import Answer, Grade, Json

_NUMBER = re.compile(r"\s*[+-]?\d{1,9}\s*", re.ASCII)
_NUMBERED = re.compile(r"^[ \t]*(?:[-*][ \t]*)?(\d{1,2})[.)][ \t]+(\S.*)$", re.MULTILINE | re.ASCII)
MAX_QUERIES = 20


def read_number(value: object) -> int | None:
    """An integer, also written as a whole float or a string; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    return None


def fold(text: str) -> str:
    """A text without regard to case and width of blanks."""
    return " ".join(text.split()).casefold()


def matches(expected: Json, given: object) -> bool:
    """Whether an entry of an answer is right: a number, a text, or a set of texts."""
    if isinstance(expected, list):
        if not isinstance(given, list | tuple) or not all(isinstance(item, str) for item in given):
            return False
        return {fold(item) for item in given} == {fold(str(item)) for item in expected}
    if isinstance(expected, str):
        return isinstance(given, str) and fold(given) == fold(expected)
    return read_number(given) == expected


def grade_queries(expected: Sequence[Json], answer: object) -> Grade:
    """The share of queries answered rightly by ``{"answers": [...]}``, in query order."""
    given = answer.get("answers") if isinstance(answer, Mapping) else None
    if not isinstance(given, list | tuple):
        return Grade(0.0)
    right = sum(matches(*pair) for pair in zip(expected, given, strict=False))
    return Grade(right / len(expected))


def numbered(queries: Sequence[str]) -> str:
    """Queries as numbered lines."""
    return "\n".join(f"{number}. {query}" for number, query in enumerate(queries, 1))


def read_numbered(text: str) -> list[str]:
    """The numbered lines of a text from 1 on; the last of each number counts."""
    found = {int(number): rest.strip() for number, rest in _NUMBERED.findall(text)}
    last = next(number for number in range(1, MAX_QUERIES + 2) if number not in found)
    return [found[number] for number in range(1, last)]


def free_text_answers(messages: Sequence[str], item: re.Pattern[str]) -> Answer | None:
    """The numbered lines of the last message that has some which are no questions.

    A line that begins with a number stands for it; one that lists items (such as "T1, T4")
    for the list of them; any other for its text.

    Args:
        messages: The dialogue.
        item: A pattern for the members of lists.
    """
    for message in reversed(messages):
        found = {
            int(number): rest.strip().rstrip(".")
            for number, rest in _NUMBERED.findall(message)
            if not rest.rstrip().endswith("?")
        }
        count = max((number for number in found if 1 <= number <= MAX_QUERIES), default=0)
        if count:
            return {"answers": [_value(found.get(number), item) for number in range(1, count + 1)]}
    return None


def _value(text: str | None, item: re.Pattern[str]) -> Json:
    if text is None:
        return None
    if _NUMBER.fullmatch(text):
        return int(text)
    items = item.findall(text)
    return [str(each) for each in items] if items else text
